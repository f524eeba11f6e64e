terraform {
  required_providers {
    lab5 = {
      source = "planlens/lab5"
    }
    lab6 = {
      source = "planlens/lab6"
    }
    random = {
      source = "hashicorp/random"
    }
    time = {
      source = "hashicorp/time"
    }
  }
}

provider "random" {
  alias = "other"
}

import {
  to = terraform_data.d
  id = "some"
}

import {
  to = random_integer.i
  id = "5,1,11,a \"seed\" $${of} several\tkinds"
}

import {
  to       = random_string.s
  id       = "abcdefgh"
  provider = random.other
}

import {
  to = random_uuid.u
  id = "aabbccdd-eeff-0011-2233-445566778899"
}

import {
  to = time_static.t
  id = "2020-02-12T06:36:13Z"
}

import {
  to = lab6_volume.v
  id = "vol"
}

import {
  to = lab6_server.s
  id = jsonencode({
    id       = "s"
    name     = "web"
    size     = 3
    ratio    = 0.25
    quota    = 12345678901234567890
    enabled  = false
    tags     = { "with space" = "1", plain = "", "a.b" = "x" }
    zones    = ["b", "a"]
    groups   = ["z", "y"]
    region   = "eu"
    tier     = "gold"
    address  = "10.0.0.1"
    revision = 1
  })
}

import {
  to = lab6_note.n
  id = jsonencode({ id = "n", text = jsonencode({ b = [1, { c = null }], a = {} }), title = "[no JSON" })
}

import {
  to = lab6_secret.s
  id = jsonencode({ id = "s", name = "x", password = "withheld", pin = "withheld", login = { user = "u", key = "withheld" } })
}

import {
  to = lab6_cluster.c
  id = jsonencode({
    id      = "c"
    name    = "c"
    network = { cidr = "10.0.0.0/8", mtu = 1500, gateway = "10.0.0.1" }
    nodes   = [{ name = "one", address = "a", disks = [{ size = 2, kind = "ssd" }, { size = 1, kind = "hdd" }] }, { name = "two", address = "b" }]
    rules   = [{ port = 80, protocol = "tcp" }]
    pools   = { first = { size = 1, labels = { a = "b" }, ready = true }, second = { size = 2, ready = false } }
  })
}

import {
  to = lab6_cluster.empty
  id = jsonencode({ id = "e", name = "e", nodes = [], pools = {} })
}

import {
  to = lab6_service.s
  id = jsonencode({
    id       = "s"
    name     = "s"
    port     = [{ number = 80, protocol = "tcp", handle = "h", allow = [{ from = "x" }, { from = null }] }, { number = 81, protocol = "udp", handle = "i", allow = [] }]
    volume   = [{ path = "/b", size = 1 }, { path = "/a" }]
    logging  = { level = "info" }
    timeouts = null
  })
}

import {
  to = lab6_document.d
  id = jsonencode({ id = "d", content = { type = ["object", { a = "number", b = ["list", "bool"] }], value = { a = 1, b = [true] } }, digest = "x" })
}

import {
  to = lab5_record.r
  id = "name/value"
}

import {
  to = lab5_record.empty
  id = "name"
}

import {
  to = lab5_instance.i
  id = jsonencode({
    name     = "i"
    size     = 2
    region   = "eu"
    zone     = "b"
    ratio    = 1.5
    enabled  = true
    password = "withheld"
    tags     = { x = "y" }
    ports    = [80, 81]
    groups   = ["b", "a"]
    disk     = [{ size = 1, kind = "hdd" }, { size = 2, kind = "ssd" }]
    network  = [{ subnet = "s", public = true }]
    metadata = [{ owner = "me", labels = { a = "b" } }]
  })
}

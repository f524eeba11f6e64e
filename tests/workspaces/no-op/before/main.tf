terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "random_integer" "port" {
  min     = 8000
  max     = 9000
  seed    = "seed"
  keepers = { a = "b" }
}

resource "random_id" "suffix" {
  byte_length = 4
}

resource "null_resource" "step" {
  triggers = { port = random_integer.port.result }
}

resource "time_static" "start" {
  rfc3339 = "2026-01-02T03:04:05Z"
}

resource "terraform_data" "all" {
  input            = { number = 1.5, list = ["a", null], object = { b = true } }
  triggers_replace = [random_integer.port.result]
}

resource "terraform_data" "empty" {}

resource "lab6_server" "web" {
  count  = 2
  name   = "web-${count.index}"
  size   = 10
  groups = ["b", "a"]
  tags   = { id = random_id.suffix.hex }
}

resource "lab6_service" "web" {
  name = "web"
  port {
    number = 80
    allow { from = "10.0.0.0/8" }
  }
  volume { path = "/b" }
  volume { path = "/a" }
  timeouts { create = "1m" }
}

resource "lab6_cluster" "main" {
  name    = "main"
  network = { cidr = "10.0.0.0/16" }
  nodes   = [{ name = "one", disks = [{ size = 1 }, { size = 2, kind = "hdd" }] }]
  rules   = [{ port = 80 }, { port = 53, protocol = "udp" }]
}

resource "lab6_document" "object" {
  content = { a = 1, b = [true, null] }
}

resource "lab5_instance" "legacy" {
  name   = "legacy"
  size   = 3
  script = "echo hello"
  groups = ["z", "y"]
  ports  = [80, 443]
  disk { size = 1 }
  network { subnet = "10.0.0.0/24" }
  network {
    subnet = "10.0.1.0/24"
    public = true
  }
  metadata { labels = { a = "b" } }
  rule   = []
  timeouts { create = "1m" }
}

output "port" {
  value = random_integer.port.result
}

output "servers" {
  value = lab6_server.web[*].address
}

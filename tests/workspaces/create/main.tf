terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

provider "lab6" {
  endpoint = "lab.example"
}

resource "random_pet" "name" {
  length    = 2
  separator = "_"
}

resource "random_id" "suffix" {
  byte_length = 4
  prefix      = "id-"
}

resource "random_password" "database" {
  length  = 24
  special = false
}

resource "random_integer" "port" {
  min  = 8000
  max  = 9000
  seed = "seed"
}

resource "random_shuffle" "zones" {
  input        = ["a", "b", "c"]
  result_count = 2
  seed         = "seed"
}

resource "random_uuid" "token" {}

resource "null_resource" "step" {
  triggers = {
    port = random_integer.port.result
  }
}

resource "local_file" "note" {
  filename = "${path.module}/out/note.txt"
  content  = "port ${random_integer.port.result}\n"
}

resource "time_static" "start" {
  rfc3339 = "2026-01-02T03:04:05Z"
}

resource "time_rotating" "weekly" {
  rfc3339       = "2026-01-02T03:04:05Z"
  rotation_days = 7
}

resource "tls_private_key" "login" {
  algorithm = "ED25519"
}

resource "terraform_data" "everything" {
  input = {
    pet  = random_pet.name.id
    none = null
    list = [1, "two", true]
  }
  triggers_replace = [random_id.suffix.hex]
}

resource "lab6_server" "web" {
  name    = "web"
  size    = 10
  enabled = true
  ratio   = 0.25
  quota   = 12345678901234567890
  zones   = random_shuffle.zones.result
  groups  = ["b", "a", "b"]
  tags    = { name = "web", none = null }
}

resource "lab6_service" "web" {
  name = "web"
  port { number = 80 }
  port {
    number   = 443
    protocol = "udp"
    allow { from = "10.0.0.0/8" }
    allow {}
  }
  volume { path = "/a" }
  volume {
    path = "/b"
    size = 5
  }
  logging { level = "info" }
}

resource "lab6_cluster" "main" {
  name    = "main"
  network = { cidr = "10.0.0.0/16" }
  nodes   = [{ name = "one" }, { name = "two", disks = [{ size = 1 }, { size = 2, kind = "hdd" }] }]
  rules   = [{ port = 80 }, { port = 53, protocol = "udp" }]
  pools   = { small = { size = 1 }, large = { size = 9, labels = { a = "b" } } }
}

resource "lab6_document" "text" {
  content = "text"
}

resource "lab6_document" "object" {
  content = { a = 1, b = [true, null], c = "x" }
}

resource "lab5_instance" "legacy" {
  name   = "legacy"
  size   = 3
  label  = "Label"
  script = "echo hello"
  groups = ["z", "y"]
  tags   = { a = "1" }
  ports  = [80, 443]
  disk { size = 1 }
  disk {
    size = 2
    kind = "hdd"
  }
  network { subnet = "10.0.0.0/24" }
  metadata { owner = "me" }
  timeouts { create = "1m" }
}

resource "lab5_record" "name" {
  name  = "name"
  value = lab5_instance.legacy.address
}

output "pet" {
  value = random_pet.name.id
}

output "server" {
  value = lab6_server.web
}

output "password" {
  value     = random_password.database.result
  sensitive = true
}

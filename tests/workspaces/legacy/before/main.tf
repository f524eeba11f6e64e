terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
  }
}

resource "lab5_instance" "grows" {
  name = "grows"
  size = 1
  tags = { a = "1", b = "2" }
}

resource "lab5_instance" "shrinks" {
  name = "shrinks"
  size = 2
}

resource "lab5_instance" "renamed" {
  name   = "renamed"
  script = "echo one"
  ports  = [1, 2]
}

resource "lab5_instance" "blocks" {
  name = "blocks"
  disk { size = 1 }
  disk { size = 2 }
  network { subnet = "10.0.0.0/24" }
  network { subnet = "10.0.1.0/24" }
  metadata {
    owner  = "me"
    labels = { a = "b" }
  }
}

resource "lab5_instance" "kind" {
  name = "kind"
  disk { size = 1 }
  disk {
    size = 2
    kind = "hdd"
  }
}

resource "lab5_instance" "groups" {
  name   = "groups"
  groups = ["a", "b"]
}

resource "lab5_instance" "unset" {
  name    = "unset"
  size    = 1
  zone    = "b"
  enabled = false
  ratio   = 0.5
  label   = "label"
  tags    = { a = "1" }
  ports   = [1]
  metadata { owner = "me" }
  timeouts { create = "1m" }
}

resource "lab5_instance" "same" {
  name   = "same"
  script = "echo same"
  rule   = [{ port = 80, allow = "all" }]
}

resource "lab5_record" "a" {
  name  = "a"
  value = lab5_instance.grows.address
}

resource "lab5_record" "b" {
  name  = "b"
  value = "x"
  ttl   = 60
}

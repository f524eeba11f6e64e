terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
  }
}

resource "lab5_instance" "grows" {
  name = "grows"
  size = 2
  tags = { a = "1", c = "3" }
}

resource "lab5_instance" "shrinks" {
  name = "shrinks"
  size = 1
}

resource "lab5_instance" "renamed" {
  name   = "renamed-again"
  script = "echo two"
  ports  = [1, 2, 3]
}

resource "lab5_instance" "blocks" {
  name = "blocks"
  disk { size = 2 }
  network { subnet = "10.0.1.0/24" }
  network {
    subnet = "10.0.2.0/24"
    public = true
  }
  metadata {
    labels = { a = "c" }
  }
}

resource "lab5_instance" "kind" {
  name = "kind"
  disk { size = 1 }
  disk { size = 2 }
}

resource "lab5_instance" "groups" {
  name   = "groups"
  groups = ["b", "c"]
}

resource "lab5_instance" "unset" {
  name = "unset"
}

resource "lab5_instance" "same" {
  name   = "same"
  script = "echo same"
  rule   = [{ port = 80, allow = "all" }]
}

resource "lab5_record" "a" {
  name  = "a"
  value = lab5_instance.renamed.address
}

resource "lab5_record" "b" {
  name = "b"
}

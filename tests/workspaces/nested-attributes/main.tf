terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_cluster" "single" {
  name    = "single"
  network = { cidr = "10.0.0.0/16" }
}

resource "lab6_cluster" "replaced" {
  name    = "replaced"
  network = { cidr = "10.1.0.0/16" }
}

resource "lab6_cluster" "appears" {
  name    = "appears"
  network = { cidr = "10.0.0.0/16" }
  nodes   = []
}

resource "lab6_cluster" "disappears" {
  name = "disappears"
}

resource "lab6_cluster" "list" {
  name  = "list"
  nodes = [{ name = "a", disks = [{ size = 1, kind = "hdd" }, { size = 3 }] }, { name = "b" }, { name = "c" }]
}

resource "lab6_cluster" "renamed_node" {
  name  = "renamed"
  nodes = [{ name = "a" }, { name = "c" }]
}

resource "lab6_cluster" "set" {
  name  = "set"
  rules = [{ port = 80 }, { port = 53, protocol = "tcp" }, { port = 22 }]
}

resource "lab6_cluster" "map" {
  name  = "map"
  pools = { b = { size = 3, labels = { x = "1", y = null } }, c = { size = 1 } }
}

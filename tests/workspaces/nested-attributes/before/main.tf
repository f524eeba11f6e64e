terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_cluster" "single" {
  name    = "single"
  network = { cidr = "10.0.0.0/16", mtu = 9000 }
}

resource "lab6_cluster" "replaced" {
  name    = "replaced"
  network = { cidr = "10.0.0.0/16" }
}

resource "lab6_cluster" "appears" {
  name = "appears"
}

resource "lab6_cluster" "disappears" {
  name    = "disappears"
  network = { cidr = "10.0.0.0/16" }
  pools   = { a = { size = 1 } }
}

resource "lab6_cluster" "list" {
  name  = "list"
  nodes = [{ name = "a", disks = [{ size = 1 }] }, { name = "b" }]
}

resource "lab6_cluster" "renamed_node" {
  name  = "renamed"
  nodes = [{ name = "a" }, { name = "b" }]
}

resource "lab6_cluster" "set" {
  name  = "set"
  rules = [{ port = 80 }, { port = 53, protocol = "udp" }]
}

resource "lab6_cluster" "map" {
  name  = "map"
  pools = { a = { size = 1 }, b = { size = 2, labels = { x = "1" } } }
}

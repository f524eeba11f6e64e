terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "attribute" {
  name = "two"
  size = 2

  lifecycle {
    ignore_changes = [name]
  }
}

resource "lab6_server" "element" {
  name = "element"
  tags = { a = "2", b = "2", new = "2" }

  lifecycle {
    ignore_changes = [tags["a"], tags["gone"], tags["new"]]
  }
}

resource "lab6_server" "all" {
  name = "other"
  size = 2
  tags = { a = "1" }

  lifecycle {
    ignore_changes = all
  }
}

resource "lab6_cluster" "nested" {
  name    = "nested"
  network = { cidr = "10.1.0.0/16", mtu = 1500 }
  nodes   = [{ name = "b" }]

  lifecycle {
    ignore_changes = [network.cidr, nodes[0].name]
  }
}

resource "lab5_instance" "legacy" {
  name = "legacy"
  size = 2
  tags = { a = "2" }
  disk { size = 9 }

  lifecycle {
    ignore_changes = [disk[0].size, tags]
  }
}

resource "random_integer" "kept" {
  min     = 1
  max     = 9
  seed    = "seed"
  keepers = { a = "2" }

  lifecycle {
    ignore_changes = [keepers]
  }
}

resource "terraform_data" "unknown" {
  input = lab6_server.attribute.address

  lifecycle {
    ignore_changes = [input]
  }
}

terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "attribute" {
  name = "one"
  size = 1

  lifecycle {
    ignore_changes = [name]
  }
}

resource "lab6_server" "element" {
  name = "element"
  tags = { a = "1", b = "1", gone = "1" }

  lifecycle {
    ignore_changes = [tags["a"], tags["gone"], tags["new"]]
  }
}

resource "lab6_server" "all" {
  name = "all"
  size = 1
  tags = { a = "1" }

  lifecycle {
    ignore_changes = all
  }
}

resource "lab6_cluster" "nested" {
  name    = "nested"
  network = { cidr = "10.0.0.0/16", mtu = 1400 }
  nodes   = [{ name = "a" }]

  lifecycle {
    ignore_changes = [network.cidr, nodes[0].name]
  }
}

resource "lab5_instance" "legacy" {
  name = "legacy"
  size = 1
  tags = { a = "1" }
  disk { size = 1 }

  lifecycle {
    ignore_changes = [disk[0].size, tags]
  }
}

resource "random_integer" "kept" {
  min     = 1
  max     = 9
  seed    = "seed"
  keepers = { a = "1" }

  lifecycle {
    ignore_changes = [keepers]
  }
}

resource "terraform_data" "unknown" {
  input = "before"

  lifecycle {
    ignore_changes = [input]
  }
}

terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}
# Which of each pair of values below.
variable "v" {
  type    = number
  default = 1
}

resource "terraform_data" "x" {
  count = var.v
  input = "k"
}
locals {
  ports = [[1, 2], var.v == 0 ? [3] : [try(tonumber(terraform_data.x[0].output), 3)]][var.v]
  set   = var.v == 0 ? ["a"] : toset([try(terraform_data.x[0].output, "b"), "c"])
}
resource "lab5_instance" "dyn" {
  name = "b"
  dynamic "disk" {
    for_each = local.set
    content {
      kind = "ssd"
      size = 1
    }
  }
  dynamic "network" {
    for_each = local.set
    content {
      subnet = network.value
    }
  }
}
resource "lab5_instance" "dynnew" {
  count = var.v
  name  = "b"
  dynamic "disk" {
    for_each = local.set
    content {
      kind = "ssd"
      size = 1
    }
  }
}
resource "lab6_service" "s" {
  name = "s"
  dynamic "port" {
    for_each = local.ports
    content {
      number = port.value
    }
  }
  dynamic "volume" {
    for_each = local.set
    content {
      path = volume.value
    }
  }
}
resource "lab6_cluster" "c" {
  name    = "c"
  network = var.v == 0 ? { cidr = "10.0.0.0/8", mtu = 1500 } : (try(terraform_data.x[0].output, "") == "k" ? null : { cidr = "10.0.0.0/8", mtu = 1400 })
  nodes   = var.v == 0 ? [{ name = "a" }, { name = "b" }] : (try(terraform_data.x[0].output, "") == "k" ? null : [{ name = "a" }])
  pools   = var.v == 0 ? { a = { size = 1 }, b = { size = 2 } } : (try(terraform_data.x[0].output, "") == "k" ? null : { a = { size = 1 } })
}
resource "lab6_cluster" "d" {
  name    = "d"
  network = { cidr = sensitive("10.0.0.0/8"), mtu = 1500 + var.v }
  nodes   = [sensitive([{ name = "a" }]), sensitive([{ name = "b" }])][var.v]
  pools   = sensitive({ a = { size = var.v + 1 } })
}
resource "lab6_service" "t" {
  name = "t"
  port {
    number   = sensitive(1 + var.v)
    protocol = "tcp"
  }
  dynamic "volume" {
    for_each = ["a", "b"]
    content {
      path = sensitive("${volume.value}${var.v}")
    }
  }
  logging {
    level = [sensitive("a"), "b"][var.v]
  }
}

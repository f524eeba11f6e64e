terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "name" {}

resource "lab6_server" "base" {
  name = var.name
}

resource "lab6_server" "unused" {
  name = "unused-${var.name}"
}

output "name" {
  value = lab6_server.base.name
}

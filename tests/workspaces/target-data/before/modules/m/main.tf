terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

variable "name" {
  type = string
}

resource "lab6_server" "s" {
  name = var.name
}

data "lab6_lookup" "l" {
  name = lab6_server.s.name
}

output "region" {
  value = data.lab6_lookup.l.region
}

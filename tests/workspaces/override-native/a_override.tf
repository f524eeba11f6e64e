terraform {
  required_version = ">= 1.0"
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "level" {
  default = "7"
}

variable "size" {
  type = number
}

locals {
  format = "from a"
  ports  = { x = 10, y = 11 }
}

resource "lab6_service" "a" {
  name = "overridden by a"
  dynamic "port" {
    for_each = local.ports
    content { number = port.value }
  }
  logging { level = "debug" }
}

output "a" {
  value = "second"
}

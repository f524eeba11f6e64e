terraform {
  required_version = ">= 99"
  required_providers {
    lab6 = { source = "planlens/nonsense" }
  }
}

variable "level" {
  type        = number
  default     = 1
  description = "of the logs"
}

variable "size" {
  type    = string
  default = "2"
}

locals {
  format = "text"
  ports  = [1, 2]
}

resource "lab6_service" "a" {
  name = "first"
  port { number = 1 }
  port {
    number = 2
    allow { from = "a" }
  }
  volume { path = "/kept" }
  logging {
    level  = "info"
    format = local.format
  }
  lifecycle {
    prevent_destroy       = false
    create_before_destroy = true
  }
}

resource "terraform_data" "counted" {
  count = 2
  input = { level = var.level, size = var.size }
}

output "a" {
  value       = "first"
  description = "described"
}

output "b" {
  value     = local.ports
  sensitive = true
}

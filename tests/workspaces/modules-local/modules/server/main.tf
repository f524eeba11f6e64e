terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "name" {
  type = string
}

variable "settings" {
  type = object({
    size = optional(number, 5)
    tags = optional(map(string), {})
  })
  default = {}
}

resource "lab6_server" "this" {
  name = var.name
  size = var.settings.size
}

resource "terraform_data" "place" {
  input = {
    module = path.module
    root   = path.root
    tags   = var.settings.tags
  }
}

output "id" {
  value = lab6_server.this.id
}

output "name" {
  value = lab6_server.this.name
}

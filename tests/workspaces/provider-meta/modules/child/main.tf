terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
  provider_meta "lab6" {
    module_name = "child"
  }
}

variable "name" {}

resource "lab6_described" "a" {
  count = 2
  name  = var.name
}

output "module" {
  value = lab6_described.a[*].module
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "kind" {}

resource "lab6_server" "shop" {
  name = var.kind
  size = length(var.kind)
}

resource "random_pet" "pets" {
  for_each = toset(["x", "y"])
  keepers  = { kind = var.kind }
}

output "id" {
  value = lab6_server.shop.id
}

output "pets" {
  value = random_pet.pets
}

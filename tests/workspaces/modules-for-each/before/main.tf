terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "shops" {
  default = {
    bread = "bakery"
    fruit = "orchard"
    meat  = "butcher"
  }
}

module "shop" {
  for_each = var.shops
  source   = "./modules/shop"
  kind     = "${each.key}-${each.value}"
}

output "ids" {
  value = { for key, shop in module.shop : key => shop.id }
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "shops" {
  default = {
    bread  = "bakery"
    fruit  = "market"
    cheese = "dairy"
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

output "fruit" {
  value = module.shop["fruit"].pets["x"].id
}

variable "release" {
  type    = string
  default = "1.4.0"
}

variable "regions" {
  type    = map(number)
  default = { eu = 2, us = 2 }
}

locals {
  image = "shop:${var.release}"
}

resource "terraform_data" "settings" {
  input = {
    image    = local.image
    replicas = sum(values(var.regions))
    debug    = false
  }
}

resource "terraform_data" "migration" {
  input            = "migrate --to ${var.release}"
  triggers_replace = var.release
}

resource "terraform_data" "region" {
  for_each = var.regions
  input    = "${each.key}: ${each.value} replicas"
}

output "image" {
  value = local.image
}

output "migration" {
  value = terraform_data.migration.id
}

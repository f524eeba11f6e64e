# rename net
module "$0network" {
  for_each = toset(["a", "b"])
  source   = "./network"
  name     = each.key
}

import {
  to = module.network["a"].terraform_data.extra
  id = "9"
}

output "ids" {
  value = [module.network["a"].id, values(module.network)[*].id]
}
#- /network/main.tf
variable "name" {}

resource "terraform_data" "vpc" {
  input = var.name
}

resource "terraform_data" "extra" {
  input = "e"
}

output "id" {
  value = terraform_data.vpc.output
}
#- state module.network["a"].terraform_data.vpc
a
#- state module.network["b"].terraform_data.vpc
b
#=
no changes in what could be planned (module.net["a"].terraform_data.extra: module.net["a"].terraform_data.extra is to be imported, but its object is not read yet)
#- /main.tf
# rename net
module "net" {
  for_each = toset(["a", "b"])
  source   = "./network"
  name     = each.key
}

moved {
  from = module.network
  to   = module.net
}

import {
  to = module.net["a"].terraform_data.extra
  id = "9"
}

output "ids" {
  value = [module.net["a"].id, values(module.net)[*].id]
}

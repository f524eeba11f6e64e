locals {
  ids = { b = "id-b", c = "id-c" }
}

import {
  for_each = local.ids
  to       = module.part.terraform_data.inner[each.key]
  id       = each.value
}

# Is in the state already: nothing is imported.
import {
  to = module.part.terraform_data.inner["a"]
  id = "ignored"
}

import {
  for_each = local.ids
  to       = module.many[each.key].terraform_data.inner["one"]
  id       = "many-${each.value}"
}

module "part" {
  source = "./modules/part"
  keys   = ["a", "b", "c"]
}

module "many" {
  source   = "./modules/part"
  for_each = local.ids
  keys     = ["one", "two"]
}

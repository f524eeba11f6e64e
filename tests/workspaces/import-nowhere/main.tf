# Nothing of a resource is planned that an object is imported into by a wrong address, in any instance of its module.
terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

module "m" {
  source   = "./modules/m"
  for_each = toset(["x", "y"])
  name     = each.key
}

import {
  to = module.m["z"].lab6_volume.v
  id = "x"
}

resource "terraform_data" "alone" {
  input = "planned"
}

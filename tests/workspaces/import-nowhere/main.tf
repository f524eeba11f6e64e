# Nothing of a resource is planned that an object is imported into by a wrong address, in any instance of its module,
# nor a resource that waits for a change of something without instances.
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

resource "terraform_data" "none" {
  count = 0
}

resource "terraform_data" "triggered" {
  lifecycle {
    replace_triggered_by = [terraform_data.none]
  }
}

resource "terraform_data" "alone" {
  input = "planned"
}

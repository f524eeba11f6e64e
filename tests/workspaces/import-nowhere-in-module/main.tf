# A module instance that does not exist. Terraform plans nothing of the resource then, not even that the second is gone.
import {
  to = module.ids["third"].random_id.this
  id = "gGw9bQ"
}

module "ids" {
  source   = "./modules/ids"
  for_each = toset(["first"])
}

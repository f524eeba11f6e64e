locals {
  regions = toset(["eu", "us"])
}

module "site" {
  source   = "./modules/site"
  for_each = local.regions
  name     = each.key
}

output "names" {
  value = [for site in module.site : site.name]
}

variable "zones" {
  type    = map(list(string))
  default = { a = ["x", "y"], b = [] }
}

module "zone" {
  for_each = var.zones
  source   = "./modules/zone"
  hosts    = each.value
}

resource "terraform_data" "count" {
  count = sum([for zone in module.zone : zone.total])
  input = keys(module.zone)[count.index]
}

locals {
  totals = { for name, zone in module.zone : name => zone.total }
  all    = flatten(values(module.zone)[*].hosts)
}

module "summary" {
  source = "./modules/summary"
  totals = local.totals
  all    = local.all
  whole  = module.zone
}

output "summary" {
  value = module.summary.text
}

output "zones" {
  value = module.zone
}

output "count" {
  value = length(module.zone)
}

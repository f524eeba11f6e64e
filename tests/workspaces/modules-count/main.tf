module "item" {
  count  = 2
  source = "./modules/item"
  index  = count.index
  size   = count.index == 1 ? 9 : null
}

module "none" {
  count  = 0
  source = "./modules/item"
  index  = 5
}

output "items" {
  value = module.item[*].items
}

output "first" {
  value = module.item[0].size
}

output "none" {
  value = module.none
}

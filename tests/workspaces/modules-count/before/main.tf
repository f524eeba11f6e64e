module "item" {
  count  = 3
  source = "./modules/item"
  index  = count.index
}

output "items" {
  value = module.item[*].items
}

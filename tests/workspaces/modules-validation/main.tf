module "checked" {
  for_each = { good = 3, bad = 30 }
  source   = "./modules/checked"
  size     = each.value
}

module "stock" {
  count  = 2
  source = "./modules/stock"
  amount = count.index
}

module "also" {
  source = "./modules/stock"
  amount = 2
}

resource "terraform_data" "apart" {
  input = module.also.amount
}

moved {
  from = module.old
  to   = module.new
}

moved {
  from = module.gains_count
  to   = module.gains_count[1]
}

moved {
  from = module.renamed_with_keys
  to   = module.with_keys
}

module "new" {
  source = "./modules/part"
}

module "gains_count" {
  source = "./modules/part"
  count  = 2
}

module "with_keys" {
  source   = "./modules/part"
  for_each = toset(["b", "c"])
}

module "gains_count_silently" {
  source = "./modules/part"
  count  = 1
}

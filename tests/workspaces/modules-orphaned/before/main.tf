module "stays" {
  source = "./modules/outer"
}

module "gone" {
  source = "./modules/outer"
}

module "counted" {
  source = "./modules/inner"
  text   = "counted"
}

module "single" {
  for_each = toset(["a"])
  source   = "./modules/inner"
  text     = "single"
}

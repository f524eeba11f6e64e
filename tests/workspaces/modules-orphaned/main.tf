module "stays" {
  source = "./modules/outer"
}

module "counted" {
  count  = 1
  source = "./modules/inner"
  text   = "counted"
}

module "single" {
  source = "./modules/inner"
  text   = "single"
}

module "m" {
  source   = "./modules/m"
  for_each = toset(["p"])
}

module "legacy" {
  source   = "./modules/legacy"
  endpoint = "two"
}

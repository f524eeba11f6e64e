module "legacy" {
  source   = "./modules/legacy"
  endpoint = "one"
}

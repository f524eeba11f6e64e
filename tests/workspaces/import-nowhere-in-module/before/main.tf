module "ids" {
  source   = "./modules/ids"
  for_each = toset(["first", "second"])
}

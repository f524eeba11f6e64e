module "inner" {
  for_each = toset(["kept"])
  source   = "../inner"
  text     = each.key
}

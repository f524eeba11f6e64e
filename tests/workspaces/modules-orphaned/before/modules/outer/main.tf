module "inner" {
  for_each = toset(["kept", "lost"])
  source   = "../inner"
  text     = each.key
}

resource "terraform_data" "left" {
  count = 2
}

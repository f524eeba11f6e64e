resource "terraform_data" "a" {
  count = 2
  input = 1
}

module "m" {
  source   = "./modules/m"
  for_each = toset(["x"])
}

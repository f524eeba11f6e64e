resource "terraform_data" "part" {
  for_each = toset(["x", "y"])
}

resource "terraform_data" "user" {
  for_each = toset(["x", "y"])
  input    = terraform_data.part["x"].id
}

resource "terraform_data" "kept" {
  count = 2
}

resource "terraform_data" "user_of_kept" {
  input = terraform_data.kept[0].id
}

module "m" {
  source   = "./modules/m"
  for_each = toset(["p", "q"])
}

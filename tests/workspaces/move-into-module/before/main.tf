resource "terraform_data" "goes_in" {
  input = "in"
}

resource "terraform_data" "goes_into_one" {
  input = "one"
}

module "part" {
  source = "./modules/part"
  count  = 2
}

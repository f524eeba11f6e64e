resource "terraform_data" "first" {
  input = 1
}

resource "terraform_data" "second_of_other" {
  input = 2
}

module "one" {
  source = "./modules/part"
}

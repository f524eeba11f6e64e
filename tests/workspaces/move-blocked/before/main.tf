resource "terraform_data" "one" {
  input = 1
}

resource "terraform_data" "two" {
  input = 2
}

resource "terraform_data" "list" {
  count = 2
  input = count.index
}

module "a" {
  source = "./modules/part"
}

module "b" {
  source = "./modules/part"
}

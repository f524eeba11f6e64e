module "forgotten_as_a_whole" {
  source = "./modules/c"
}

module "destroyed_as_a_whole" {
  source = "./modules/c"
}

resource "terraform_data" "twice" {
  input = 1
}

resource "terraform_data" "twice_otherwise" {
  input = 1
}

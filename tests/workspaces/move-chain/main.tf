# The last first: the order of blocks doesn't matter.
moved {
  from = terraform_data.third
  to   = terraform_data.fourth[0]
}

moved {
  from = terraform_data.second
  to   = terraform_data.third
}

moved {
  from = terraform_data.first
  to   = terraform_data.second
}

# Begins in the middle of a chain.
moved {
  from = terraform_data.first_of_other
  to   = terraform_data.second_of_other
}

moved {
  from = terraform_data.second_of_other
  to   = terraform_data.third_of_other
}

moved {
  from = module.one
  to   = module.two
}

moved {
  from = module.two
  to   = module.three["x"]
}

resource "terraform_data" "fourth" {
  count = 1
  input = 1
}

resource "terraform_data" "third_of_other" {
  input = 2
}

module "three" {
  source   = "./modules/part"
  for_each = toset(["x"])
}

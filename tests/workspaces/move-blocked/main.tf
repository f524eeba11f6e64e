moved {
  from = terraform_data.one
  to   = terraform_data.two
}

moved {
  from = terraform_data.list[1]
  to   = terraform_data.list[0]
}

moved {
  from = module.a
  to   = module.b
}

resource "terraform_data" "two" {
  input = 2
}

resource "terraform_data" "list" {
  count = 1
  input = count.index
}

module "b" {
  source = "./modules/part"
}

moved {
  from = terraform_data.goes_in
  to   = module.part[0].module.inner.terraform_data.taken_in
}

moved {
  from = terraform_data.goes_into_one
  to   = module.part[1].terraform_data.taken_in
}

moved {
  from = module.part[0].terraform_data.comes_out
  to   = terraform_data.came_out
}

module "part" {
  source = "./modules/part"
  count  = 2
}

resource "terraform_data" "came_out" {
  input = "out"
}

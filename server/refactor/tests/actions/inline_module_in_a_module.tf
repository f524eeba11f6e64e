# do Inline module.inner
module "outer" {
  for_each = toset(["x", "y"])
  source   = "./outer"
}
#- /outer/main.tf
module "$0inner" {
  source = "./inner"
}

moved {
  from = terraform_data.old
  to   = module.inner.terraform_data.a
}
#- /outer/inner/main.tf
resource "terraform_data" "a" {
  input = "x"
}

moved {
  from = terraform_data.older
  to   = terraform_data.a
}
#- state module.outer["x"].module.inner.terraform_data.a
x
#- state module.outer["y"].module.inner.terraform_data.a
x
#=
no changes to infrastructure
#- /outer/main.tf
resource "terraform_data" "a" {
  input = "x"
}

moved {
  from = module.inner.terraform_data.older
  to   = module.inner.terraform_data.a
}

moved {
  from = terraform_data.old
  to   = module.inner.terraform_data.a
}

moved {
  from = module.inner.terraform_data.a
  to   = terraform_data.a
}

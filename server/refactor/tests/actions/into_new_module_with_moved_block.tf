# do Move terraform_data.b into a new module
resource "terraform_data" "$0b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}
#- state terraform_data.b
x
#=
no changes to infrastructure
#- /main.tf
module "b" {
  source = "./modules/b"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

moved {
  from = terraform_data.b
  to   = module.b.terraform_data.b
}
#- /modules/b/main.tf
# do Move terraform_data.b into a new module
resource "terraform_data" "b" {
  input = "x"
}

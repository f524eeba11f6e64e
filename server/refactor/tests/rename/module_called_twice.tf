# rename b
module "one" {
  source = "./child"
}

module "two" {
  source = "./child"
}
#- /child/main.tf
resource "terraform_data" "$0a" {
  input = "x"
}
#- state module.one.terraform_data.a
x
#- state module.two.terraform_data.a
x
#=
no changes to infrastructure
#- /child/main.tf
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

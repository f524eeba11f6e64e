# rename b
module "new" {
  source = "./child"
}

moved {
  from = module.old
  to   = module.new
}
#- /child/main.tf
resource "terraform_data" "$0a" {
  input = "x"
}
#- state module.old.terraform_data.a
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

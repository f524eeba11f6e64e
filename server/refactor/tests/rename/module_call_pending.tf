# rename newest
module "$0new" {
  source = "./child"
}

moved {
  from = module.old
  to   = module.new
}
#- /child/main.tf
resource "terraform_data" "a" {
  input = "x"
}
#- state module.old.terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename newest
module "newest" {
  source = "./child"
}

moved {
  from = module.old
  to   = module.newest
}

# rename net
module "network" {
  for_each = toset(["a", "b"])
  source   = "./network"
}

removed {
  from = module.network.terraform_data.gone
}
#- /network/main.tf
resource "terraform_data" "$0vpc" {
  input = "v"
}
#- state module.network["a"].terraform_data.vpc
v
#- state module.network["b"].terraform_data.vpc
v
#=
no changes to infrastructure
#- /network/main.tf
resource "terraform_data" "net" {
  input = "v"
}

moved {
  from = terraform_data.vpc
  to   = terraform_data.net
}

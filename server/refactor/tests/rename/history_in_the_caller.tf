# rename net
module "network" {
  source = "./network"
}

moved {
  from = terraform_data.vpc
  to   = module.network.terraform_data.vpc
}
#- /network/main.tf
resource "terraform_data" "$0vpc" {
  input = "v"
}
#- state module.network.terraform_data.vpc
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

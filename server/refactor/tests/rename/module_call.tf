# rename net
module "$0network" {
  source = "./network"
}

output "id" {
  value = module.network.id
}

resource "terraform_data" "user" {
  input      = "u"
  depends_on = [module.network]
}
#- /network/main.tf
resource "terraform_data" "vpc" {
  input = "v"
}

output "id" {
  value = terraform_data.vpc.output
}
#- state module.network.terraform_data.vpc
v
#- state terraform_data.user
u
#=
no changes to infrastructure
#- /main.tf
# rename net
module "net" {
  source = "./network"
}

moved {
  from = module.network
  to   = module.net
}

output "id" {
  value = module.net.id
}

resource "terraform_data" "user" {
  input      = "u"
  depends_on = [module.net]
}

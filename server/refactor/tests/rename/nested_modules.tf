# rename lower
module "one" {
  source = "./one"
}
#- /one/main.tf
module "$0two" {
  count  = 2
  source = "../two"
}

output "ids" {
  value = module.two[*].id
}
#- /two/main.tf
resource "terraform_data" "a" {
  input = "x"
}

output "id" {
  value = terraform_data.a.output
}
#- state module.one.module.two[0].terraform_data.a
x
#- state module.one.module.two[1].terraform_data.a
x
#=
no changes to infrastructure
#- /one/main.tf
module "lower" {
  count  = 2
  source = "../two"
}

moved {
  from = module.two
  to   = module.lower
}

output "ids" {
  value = module.lower[*].id
}

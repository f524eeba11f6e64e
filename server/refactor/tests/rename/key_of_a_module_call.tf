# rename b
module "m" {
  for_each = { $0a = 1 }
  source   = "./m"
}

output "a" {
  value = module.m["a"].id
}
#- /m/main.tf
resource "terraform_data" "x" {
  input = "x"
}

output "id" {
  value = terraform_data.x.output
}
#- state module.m["a"].terraform_data.x
x
#=
no changes to infrastructure
#- /main.tf
# rename b
module "m" {
  for_each = { b = 1 }
  source   = "./m"
}

moved {
  from = module.m["a"]
  to   = module.m["b"]
}

output "a" {
  value = module.m["b"].id
}

# do Remove for_each from module.one
module "one" {
  source   = "./one"
  $0for_each = toset(["b"])
  name     = each.key
}

output "ids" {
  value = { for key, one in module.one : key => one.id }
}
#- /one/main.tf
variable "name" {}

resource "terraform_data" "a" {
  input = var.name
}

output "id" {
  value = terraform_data.a.id
}
#- state module.one["b"].terraform_data.a
b
#=
no changes to infrastructure
#- /main.tf
# do Remove for_each from module.one
module "one" {
  source = "./one"
  name   = "b"
}

moved {
  from = module.one["b"]
  to   = module.one
}

output "ids" {
  value = { for key, one in { "b" = module.one } : key => one.id }
}

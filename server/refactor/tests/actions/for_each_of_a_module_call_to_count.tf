# do Convert for_each of module.one to count
variable "names" {
  type    = set(string)
  default = ["b", "a"]
}

module "$0one" {
  for_each = var.names
  source   = "./one"
  name     = each.value
}

output "id" {
  value = module.one["b"].id
}
#- /one/main.tf
variable "name" {}

resource "terraform_data" "a" {
  input = var.name
}

output "id" {
  value = terraform_data.a.id
}
#- state module.one["a"].terraform_data.a
a
#- state module.one["b"].terraform_data.a
b
#=
no changes to infrastructure
#- /main.tf
# do Convert for_each of module.one to count
variable "names" {
  type    = set(string)
  default = ["b", "a"]
}

module "one" {
  count  = length(var.names)
  source = "./one"
  name   = tolist(var.names)[count.index]
}

moved {
  from = module.one["a"]
  to   = module.one[0]
}

moved {
  from = module.one["b"]
  to   = module.one[1]
}

output "id" {
  value = module.one[1].id
}

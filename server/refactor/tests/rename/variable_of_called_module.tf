# rename text
module "child" {
  source = "./child"
  name   = "x"
}

module "again" {
  for_each = toset(["k"])
  source   = "./child"
  $0name     = each.key
}
#- /child/main.tf
variable "name" {}

resource "terraform_data" "a" {
  input = var.name
}
#- state module.child.terraform_data.a
x
#- state module.again["k"].terraform_data.a
k
#=
no changes to infrastructure
#- /child/main.tf
variable "text" {}

resource "terraform_data" "a" {
  input = var.text
}
#- /main.tf
# rename text
module "child" {
  source = "./child"
  text   = "x"
}

module "again" {
  for_each = toset(["k"])
  source   = "./child"
  text     = each.key
}

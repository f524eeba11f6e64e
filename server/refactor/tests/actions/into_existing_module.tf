# do Move terraform_data.a into module.one
resource "terraform_data" "$0a" {
  input = local.name
}

locals {
  name = "x"
}

module "one" {
  source = "./one"
  label  = local.name
}

output "id" {
  value = "${terraform_data.a.id}-${module.one.id}"
}
#- /one/main.tf
variable "label" {}

resource "terraform_data" "other" {
  input = var.label
}

output "id" {
  value = terraform_data.other.id
}
#- state terraform_data.a
x
#- state module.one.terraform_data.other
x
#=
no changes to infrastructure
#- /main.tf
locals {
  name = "x"
}

module "one" {
  source = "./one"
  label  = local.name
}

moved {
  from = terraform_data.a
  to   = module.one.terraform_data.a
}

output "id" {
  value = "${module.one.a_id}-${module.one.id}"
}
#- /one/main.tf
variable "label" {}

resource "terraform_data" "other" {
  input = var.label
}

output "id" {
  value = terraform_data.other.id
}

# do Move terraform_data.a into module.one
resource "terraform_data" "a" {
  input = var.label
}
#- /one/outputs.tf
output "a_id" {
  value = terraform_data.a.id
}

# rename b
variable "a" {
  default = "x"
}

locals {
  a = var.a
}

resource "terraform_data" "$0a" {
  input = "${local.a}${var.a}"
}

output "a" {
  value = terraform_data.a.id
}

data "terraform_remote_state" "a" {
  backend = "local"
}
#=
no changes in what could be planned (data.terraform_remote_state.a: data.terraform_remote_state.a is not read: its values are unknown in this plan)
#- /main.tf
# rename b
variable "a" {
  default = "x"
}

locals {
  a = var.a
}

resource "terraform_data" "b" {
  input = "${local.a}${var.a}"
}

output "a" {
  value = terraform_data.b.id
}

data "terraform_remote_state" "a" {
  backend = "local"
}

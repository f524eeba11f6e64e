# do Move terraform_data.a into module.one
variable "secret" {
  type      = string
  default   = "x"
  sensitive = true
}

module "one" {
  source = "./one"
}

resource "terraform_data" "$0a" {
  input = var.secret
}
#- /one/main.tf
variable "secret" {
  default = 1
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# do Move terraform_data.a into module.one
variable "secret" {
  type      = string
  default   = "x"
  sensitive = true
}

module "one" {
  source   = "./one"
  secret_2 = var.secret
}

moved {
  from = terraform_data.a
  to   = module.one.terraform_data.a
}
#- /one/main.tf
variable "secret" {
  default = 1
}

resource "terraform_data" "a" {
  input = var.secret_2
}
#- /one/variables.tf
variable "secret_2" {
  type      = string
  sensitive = true
}

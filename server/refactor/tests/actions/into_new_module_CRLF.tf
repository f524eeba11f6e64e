# do Move terraform_data.a into a new module
# CRLF
resource "terraform_data" "$0a" {
  input = var.x
}

variable "x" {
  default = "x"
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
module "a" {␍
  source = "./modules/a"␍
  x      = var.x␍
}␍
␍
moved {␍
  from = terraform_data.a␍
  to   = module.a.terraform_data.a␍
}␍
␍
variable "x" {␍
  default = "x"␍
}␍
#- /modules/a/main.tf
# do Move terraform_data.a into a new module
# CRLF
resource "terraform_data" "a" {
  input = var.x
}
#- /modules/a/variables.tf
variable "x" {
  type = any
}

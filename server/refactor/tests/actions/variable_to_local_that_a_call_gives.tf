# do Convert var.name to a local value
module "one" {
  source = "./one"
  name   = "y"
}
#- /one/main.tf
variable "$0name" {
  default = "x"
}
#=
refused: variable "name" gets a value in module.one.

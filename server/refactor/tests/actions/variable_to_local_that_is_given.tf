# do Convert var.name to a local value
variable "$0name" {
  default = "x"
}
#- /terraform.tfvars
name = "y"
#=
refused: variable "name" gets a value in terraform.tfvars.

# do Convert local.size to a variable
locals {
  name = "x${local.size}"
  $0size = 3 # three

  # last
  last = [local.size]
}

resource "terraform_data" "a" {
  input = "x${local.size}"
}
#- state terraform_data.a
x3
#=
no changes to infrastructure
#- /main.tf
variable "size" {
  type    = number
  default = 3
}

# do Convert local.size to a variable
locals {
  name = "x${var.size}"

  # last
  last = [var.size]
}

resource "terraform_data" "a" {
  input = "x${var.size}"
}

# do Convert count of terraform_data.a to for_each
module "one" {
  for_each = { x = 1, y = 2 }
  source   = "./one"
  number   = each.value
}
#- /one/main.tf
variable "number" {}

resource "terraform_data" "$0a" {
  count = var.number
  input = "x"
}
#=
refused: The instances of terraform_data.a have other keys in another instance of its module.

# do Convert local.all to a variable
locals {
  $0all = {
    # one
    one = { size = 1 }
    two = { size = 2 }
  }
}

resource "terraform_data" "a" {
  for_each = local.all
  input    = "${each.value.size}"
}
#- state terraform_data.a["one"]
1
#- state terraform_data.a["two"]
2
#=
no changes to infrastructure
#- /main.tf
# do Convert local.all to a variable
variable "all" {
  type = object({ one = object({ size = number }), two = object({ size = number }) })
  default = {
    # one
    one = { size = 1 }
    two = { size = 2 }
  }
}

resource "terraform_data" "a" {
  for_each = var.all
  input    = "${each.value.size}"
}

# rename b
resource "terraform_data" "$0a" {
  count = 1
  input = "x"
}

locals {
  keys  = { (terraform_data.a[0].id) = 1 }
  index = [1, 2][length(terraform_data.a) - 1]
  each  = { for k in keys(local.keys) : terraform_data.a[0].id => k... }
}
#- state terraform_data.a[0]
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  count = 1
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

locals {
  keys  = { (terraform_data.b[0].id) = 1 }
  index = [1, 2][length(terraform_data.b) - 1]
  each  = { for k in keys(local.keys) : terraform_data.b[0].id => k... }
}

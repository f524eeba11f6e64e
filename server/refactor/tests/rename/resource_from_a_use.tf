# rename b
resource "terraform_data" "a" {
  input = "x"
}

locals {
  ids = [for one in [terraform_data.$0a] : one.id]
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

locals {
  ids = [for one in [terraform_data.b] : one.id]
}

# rename a
resource "terraform_data" "$0b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}
#- state terraform_data.b
x
#=
no changes to infrastructure
#- /main.tf
# rename a
resource "terraform_data" "a" {
  input = "x"
}

moved {
  from = terraform_data.b
  to   = terraform_data.a
}

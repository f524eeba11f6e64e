# rename b
resource "terraform_data" "$0a" {
  count = 1
  input = "x"
}
#- state terraform_data.a
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
  to   = terraform_data.b[0]
}

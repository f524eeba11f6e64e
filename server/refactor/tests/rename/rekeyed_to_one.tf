# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- state terraform_data.a[0]
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a[0]
  to   = terraform_data.b
}

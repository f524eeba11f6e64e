# rename b always
resource "terraform_data" "$0a" {
  input = "x"
}
#=
no changes to infrastructure
#- /main.tf
# rename b always
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

# rename c
resource "terraform_data" "$0b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename c
resource "terraform_data" "c" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.c
}

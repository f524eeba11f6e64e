# rename c
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
# rename c
resource "terraform_data" "c" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

moved {
  from = terraform_data.b
  to   = terraform_data.c
}

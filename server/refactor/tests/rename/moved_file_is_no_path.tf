# rename b ../../evil.tf
resource "terraform_data" "$0a" {
  input = "x"
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename b ../../evil.tf
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

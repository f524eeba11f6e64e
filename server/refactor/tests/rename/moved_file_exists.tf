# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- /moved.tf
# Nothing moved yet.
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}
#- /moved.tf
# Nothing moved yet.

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

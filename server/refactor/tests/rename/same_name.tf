# rename a
resource "terraform_data" "$0a" {
  input = "x"
}
#- state terraform_data.a
x
#=
no changes to infrastructure

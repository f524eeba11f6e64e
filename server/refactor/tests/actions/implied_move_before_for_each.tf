# do Convert count of terraform_data.a to for_each
resource "terraform_data" "$0a" {
  count = 1
  input = "x"
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# do Convert count of terraform_data.a to for_each
resource "terraform_data" "a" {
  for_each = toset(["0"])
  input    = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.a["0"]
}

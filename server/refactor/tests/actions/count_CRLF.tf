# do Convert count of terraform_data.a to for_each
# CRLF
resource "terraform_data" "$0a" {
  count = 1
  input = "x" /* at the end */
}

output "id" {
  value = terraform_data.a[0].id
}
#- state terraform_data.a[0]
x
#=
no changes to infrastructure
#- /main.tf
# do Convert count of terraform_data.a to for_each␍
# CRLF␍
resource "terraform_data" "a" {␍
  for_each = toset(["0"])␍
  input    = "x" /* at the end */␍
}␍
␍
moved {␍
  from = terraform_data.a[0]␍
  to   = terraform_data.a["0"]␍
}␍
␍
output "id" {␍
  value = terraform_data.a["0"].id␍
}␍

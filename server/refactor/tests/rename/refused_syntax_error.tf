# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- /broken.tf
output "a" {
  value =
}
#=
refused: broken.tf has a syntax error, so the names in it can't all be told.

# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- /broken.tf
output "a" {
  value = terraform_data.a.
}
#=
refused: broken.tf has a syntax error in a block that mentions "a", so not all of its uses are known.

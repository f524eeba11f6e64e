# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- /unread.tf
output "a" {
  value = terraform_data.a
}
#=
refused: unread.tf could not be read, so the names in it are not known.

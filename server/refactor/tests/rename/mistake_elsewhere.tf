# rename first-one
resource "terraform_data" "$0first" {
  input = "x"
}
output "first-value" {
  value = terraform_data.first.output
}
#- /broken.tf
output "a" {
  value = local.first-value +
}
#=
no changes to infrastructure
#- /main.tf
# rename first-one
resource "terraform_data" "first-one" {
  input = "x"
}
output "first-value" {
  value = terraform_data.first-one.output
}

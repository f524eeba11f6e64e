# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- /one.tf
output "one" {
  value = terraform_data.a.id
}
#- /two.tf
# terraform_data.a is only mentioned here
output "two" {
  value = terraform_data.a.output # terraform_data.a
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}
#- /one.tf
output "one" {
  value = terraform_data.b.id
}
#- /two.tf
# terraform_data.a is only mentioned here
output "two" {
  value = terraform_data.b.output # terraform_data.a
}

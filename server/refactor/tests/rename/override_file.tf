# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- /main_override.tf
resource "terraform_data" "a" {
  input = "y"
}

output "id" {
  value = terraform_data.a.id
}
#- /main2.tf
output "id" {
  value = "none"
}
#- state terraform_data.a
y
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
#- /main_override.tf
resource "terraform_data" "b" {
  input = "y"
}

output "id" {
  value = terraform_data.b.id
}

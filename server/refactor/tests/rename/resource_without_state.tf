# rename b
resource "terraform_data" "a$0" {
  input = "x"
}

output "id" {
  value = terraform_data.a.id
}
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}

output "id" {
  value = terraform_data.b.id
}

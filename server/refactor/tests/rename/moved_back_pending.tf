# rename a
resource "terraform_data" "$0b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

output "b" {
  value = terraform_data.b.output
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename a
resource "terraform_data" "a" {
  input = "x"
}

output "b" {
  value = terraform_data.a.output
}

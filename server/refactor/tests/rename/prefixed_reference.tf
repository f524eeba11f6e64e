# rename b
resource "terraform_data" "$0a" {
  input = "x"
}

output "a" {
  value = resource.terraform_data.a.output
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

output "a" {
  value = resource.terraform_data.b.output
}

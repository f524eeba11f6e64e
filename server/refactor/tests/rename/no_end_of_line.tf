# rename b
resource "terraform_data" "$0a" {
  input = "x"
}
#- /moved.tf
moved {
  from = terraform_data.o
  to   = terraform_data.p
}
#- /end.tf
output "a" { value = terraform_data.a.id }
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /end.tf
output "a" { value = terraform_data.b.id }
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}
#- /moved.tf
moved {
  from = terraform_data.o
  to   = terraform_data.p
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

# rename b
resource "terraform_data" "$0a" {
  count = 2
  input = "x${count.index}"
}

output "first" {
  value = [terraform_data.a[0].output, terraform_data.a[*].id]
}
#- state terraform_data.a[0]
x0
#- state terraform_data.a[1]
x1
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  count = 2
  input = "x${count.index}"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

output "first" {
  value = [terraform_data.b[0].output, terraform_data.b[*].id]
}

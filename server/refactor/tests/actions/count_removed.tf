# do Remove count from terraform_data.a
resource "terraform_data" "a" {
  $0count = 1 # one is enough

  input = "x${count.index}"
}

output "ids" {
  value = [terraform_data.a[0].id, terraform_data.a[*].id, length(terraform_data.a)]
}
#- state terraform_data.a[0]
x0
#=
no changes to infrastructure
#- /main.tf
# do Remove count from terraform_data.a
resource "terraform_data" "a" {
  input = "x0"
}

moved {
  from = terraform_data.a[0]
  to   = terraform_data.a
}

output "ids" {
  value = [terraform_data.a.id, terraform_data.a[*].id, length([terraform_data.a])]
}

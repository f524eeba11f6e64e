# rename b
resource "random_pet" "$0a" {
  length = 2
}

output "a" {
  value = random_pet.a.id
}
#=
no changes in what could be planned (random_pet.b: provider registry.terraform.io/hashicorp/random is not installed: run `terraform init`)
#- /main.tf
# rename b
resource "random_pet" "b" {
  length = 2
}

moved {
  from = random_pet.a
  to   = random_pet.b
}

output "a" {
  value = random_pet.b.id
}

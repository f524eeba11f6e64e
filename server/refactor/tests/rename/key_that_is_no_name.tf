# rename 1st
resource "terraform_data" "a" {
  for_each = { blue = "x", "red" = "y" }
  input    = each.value
}

output "a" {
  value = terraform_data.a["$0blue"].id
}
#- state terraform_data.a["blue"]
x
#- state terraform_data.a["red"]
y
#=
no changes to infrastructure
#- /main.tf
# rename 1st
resource "terraform_data" "a" {
  for_each = { "1st" = "x", "red" = "y" }
  input    = each.value
}

moved {
  from = terraform_data.a["blue"]
  to   = terraform_data.a["1st"]
}

output "a" {
  value = terraform_data.a["1st"].id
}

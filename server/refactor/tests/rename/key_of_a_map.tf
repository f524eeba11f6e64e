# rename green
resource "terraform_data" "a" {
  for_each = {
    $0blue  = "x"
    "red" = "y"
  }
  input = each.value
}

output "a" {
  value = [terraform_data.a["blue"].id, terraform_data.a["red"].id, { blue = 1 }]
}
#- state terraform_data.a["blue"]
x
#- state terraform_data.a["red"]
y
#=
no changes to infrastructure
#- /main.tf
# rename green
resource "terraform_data" "a" {
  for_each = {
    green = "x"
    "red" = "y"
  }
  input = each.value
}

moved {
  from = terraform_data.a["blue"]
  to   = terraform_data.a["green"]
}

output "a" {
  value = [terraform_data.a["green"].id, terraform_data.a["red"].id, { blue = 1 }]
}

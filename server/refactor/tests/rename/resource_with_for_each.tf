# rename b
resource "terraform_data" "$0a" {
  for_each = toset(["k", "l"])
  input    = each.key
}

output "first" {
  value = terraform_data.a["k"].output
}
#- state terraform_data.a["k"]
k
#- state terraform_data.a["l"]
l
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  for_each = toset(["k", "l"])
  input    = each.key
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

output "first" {
  value = terraform_data.b["k"].output
}

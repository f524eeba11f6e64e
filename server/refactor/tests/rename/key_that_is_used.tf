# rename b
resource "terraform_data" "x" {
  for_each = toset(["$0a"])
  input    = each.key
}
#- state terraform_data.x["a"]
a
#=
1 to change
  terraform_data.x["b"] would be changed
#- /main.tf
# rename b
resource "terraform_data" "x" {
  for_each = toset(["b"])
  input    = each.key
}

moved {
  from = terraform_data.x["a"]
  to   = terraform_data.x["b"]
}

# rename b
resource "terraform_data" "x" {
  for_each = toset(["$0a", "c"])
  input    = "x"
}
#- state terraform_data.x["a"]
x
#- state terraform_data.x["c"]
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "x" {
  for_each = toset(["b", "c"])
  input    = "x"
}

moved {
  from = terraform_data.x["a"]
  to   = terraform_data.x["b"]
}

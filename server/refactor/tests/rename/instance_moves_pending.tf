# rename b
resource "terraform_data" "$0a" {
  for_each = toset(["k", "l"])
  input    = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.a["k"]
}
#- state terraform_data.a
x
#- state terraform_data.a["l"]
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  for_each = toset(["k", "l"])
  input    = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b["k"]
}

moved {
  from = terraform_data.a["l"]
  to   = terraform_data.b["l"]
}

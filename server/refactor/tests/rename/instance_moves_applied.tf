# rename b
resource "terraform_data" "$0a" {
  for_each = toset(["k"])
  input    = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.a["k"]
}
#- state terraform_data.a["k"]
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  for_each = toset(["k"])
  input    = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.a["k"]
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

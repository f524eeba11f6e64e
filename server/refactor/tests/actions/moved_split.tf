# do Split into a moved block for each instance
resource "terraform_data" "b" {
  for_each = toset(["x", "y"])
  input    = each.key
}

$0moved {
  from = terraform_data.a
  to   = terraform_data.b
}
#- state terraform_data.a["x"]
x
#- state terraform_data.a["y"]
y
#=
no changes to infrastructure
#- /main.tf
# do Split into a moved block for each instance
resource "terraform_data" "b" {
  for_each = toset(["x", "y"])
  input    = each.key
}

moved {
  from = terraform_data.a["x"]
  to   = terraform_data.b["x"]
}

moved {
  from = terraform_data.a["y"]
  to   = terraform_data.b["y"]
}

# do Convert count of terraform_data.a to for_each
module "one" {
  for_each = toset(["x", "y"])
  source   = "./one"
}
#- /one/main.tf
resource "terraform_data" "$0a" {
  count = 2
  input = "x${count.index}"
}

output "all" {
  value = terraform_data.a
}
#- state module.one["x"].terraform_data.a[0]
x0
#- state module.one["x"].terraform_data.a[1]
x1
#- state module.one["y"].terraform_data.a[0]
x0
#- state module.one["y"].terraform_data.a[1]
x1
#=
no changes to infrastructure
#- /one/main.tf
resource "terraform_data" "a" {
  for_each = toset(["0", "1"])
  input    = "x${each.key}"
}

moved {
  from = terraform_data.a[0]
  to   = terraform_data.a["0"]
}

moved {
  from = terraform_data.a[1]
  to   = terraform_data.a["1"]
}

output "all" {
  value = values(terraform_data.a)
}

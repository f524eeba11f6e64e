# do Convert for_each of terraform_data.a to count
locals {
  all = { two = "y", one = "x" }
}

resource "terraform_data" "$0a" {
  for_each = local.all
  input    = "${each.key}-${each.value}"
}

output "first" {
  value = { for key, one in terraform_data.a : key => one.id }
}
#- state terraform_data.a["one"]
one-x
#- state terraform_data.a["two"]
two-y
#=
no changes to infrastructure
#- /main.tf
# do Convert for_each of terraform_data.a to count
locals {
  all = { two = "y", one = "x" }
}

resource "terraform_data" "a" {
  count = length(local.all)
  input = "${keys(local.all)[count.index]}-${values(local.all)[count.index]}"
}

moved {
  from = terraform_data.a["one"]
  to   = terraform_data.a[0]
}

moved {
  from = terraform_data.a["two"]
  to   = terraform_data.a[1]
}

output "first" {
  value = { for key, one in zipmap(keys(local.all), terraform_data.a) : key => one.id }
}

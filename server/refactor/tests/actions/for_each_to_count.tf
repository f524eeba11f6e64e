# do Convert for_each of terraform_data.a to count
resource "terraform_data" "$0a" {
  for_each = toset(["b", "a"])
  input    = "x-${each.key}"
}

output "ids" {
  value = [terraform_data.a["a"].id, values(terraform_data.a)[*].id, keys(terraform_data.a)]
}
#- state terraform_data.a["a"]
x-a
#- state terraform_data.a["b"]
x-b
#=
no changes to infrastructure
#- /main.tf
# do Convert for_each of terraform_data.a to count
resource "terraform_data" "a" {
  count = 2
  input = "x-${["a", "b"][count.index]}"
}

moved {
  from = terraform_data.a["a"]
  to   = terraform_data.a[0]
}

moved {
  from = terraform_data.a["b"]
  to   = terraform_data.a[1]
}

output "ids" {
  value = [terraform_data.a[0].id, terraform_data.a[*].id, keys(zipmap(["a", "b"], terraform_data.a))]
}

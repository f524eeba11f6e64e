# do Convert count of terraform_data.a to for_each
resource "terraform_data" "$0a" {
  count = 2

  input = "x${count.index}"
}

resource "terraform_data" "b" {
  count = 2

  input = terraform_data.a[count.index].input
}

output "ids" {
  value = [terraform_data.a[0].id, terraform_data.a[*].id, terraform_data.a.*.id]
}
#- state terraform_data.a[0]
x0
#- state terraform_data.a[1]
x1
#- state terraform_data.b[0]
x0
#- state terraform_data.b[1]
x1
#=
no changes to infrastructure
#- /main.tf
# do Convert count of terraform_data.a to for_each
resource "terraform_data" "a" {
  for_each = toset(["0", "1"])

  input = "x${each.key}"
}

moved {
  from = terraform_data.a[0]
  to   = terraform_data.a["0"]
}

moved {
  from = terraform_data.a[1]
  to   = terraform_data.a["1"]
}

resource "terraform_data" "b" {
  count = 2

  input = values(terraform_data.a)[count.index].input
}

output "ids" {
  value = [terraform_data.a["0"].id, values(terraform_data.a)[*].id, values(terraform_data.a).*.id]
}

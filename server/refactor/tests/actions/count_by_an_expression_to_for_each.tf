# do Convert count of terraform_data.a to for_each
variable "many" {
  default = true
}

resource "terraform_data" "$0a" {
  count = var.many ? 2 : 0
  input = count.index
}
#- state terraform_data.a[0]
0
#- state terraform_data.a[1]
1
#=
no changes to infrastructure
#- /main.tf
# do Convert count of terraform_data.a to for_each
variable "many" {
  default = true
}

resource "terraform_data" "a" {
  for_each = toset([for index in range(var.many ? 2 : 0) : tostring(index)])
  input    = tonumber(each.key)
}

moved {
  from = terraform_data.a[0]
  to   = terraform_data.a["0"]
}

moved {
  from = terraform_data.a[1]
  to   = terraform_data.a["1"]
}

# do Convert count of terraform_data.a to for_each
variable "names" {
  type    = list(string)
  default = ["b", "a c", "a"]
}

resource "terraform_data" "$0a" {
  count = length(var.names) # as many as names

  input = "${count.index}-${var.names[count.index]}"

  lifecycle {
    precondition {
      condition     = count.index < 3
      error_message = "too many: ${var.names[count.index]}"
    }
  }
}

output "ids" {
  value = [terraform_data.a[1].id, terraform_data.a[*].id]
}
#- state terraform_data.a[0]
0-b
#- state terraform_data.a[1]
1-a c
#- state terraform_data.a[2]
2-a
#=
no changes to infrastructure
#- /main.tf
# do Convert count of terraform_data.a to for_each
variable "names" {
  type    = list(string)
  default = ["b", "a c", "a"]
}

resource "terraform_data" "a" {
  for_each = toset(var.names) # as many as names

  input = "${index(var.names, each.key)}-${each.value}"

  lifecycle {
    precondition {
      condition     = index(var.names, each.key) < 3
      error_message = "too many: ${each.value}"
    }
  }
}

moved {
  from = terraform_data.a[0]
  to   = terraform_data.a["b"]
}

moved {
  from = terraform_data.a[1]
  to   = terraform_data.a["a c"]
}

moved {
  from = terraform_data.a[2]
  to   = terraform_data.a["a"]
}

output "ids" {
  value = [terraform_data.a["a c"].id, [for key in var.names : terraform_data.a[key]][*].id]
}

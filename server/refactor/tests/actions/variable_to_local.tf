# do Convert var.names to a local value
# What they are called.
variable "$0names" {
  type        = list(string)
  default     = ["b", "a"]
  description = "All of them."
}

resource "terraform_data" "a" {
  count = length(var.names)
  input = var.names[count.index]
}
#- state terraform_data.a[0]
b
#- state terraform_data.a[1]
a
#=
no changes to infrastructure
#- /main.tf
# do Convert var.names to a local value
# What they are called.
locals {
  names = tolist(["b", "a"])
}

resource "terraform_data" "a" {
  count = length(local.names)
  input = local.names[count.index]
}

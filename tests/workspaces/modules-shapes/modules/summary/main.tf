variable "totals" {
  type = map(number)
}

variable "all" {
  type = set(string)
}

variable "whole" {
  type = any
}

resource "terraform_data" "summary" {
  input            = [for name, zone in var.whole : "${name}=${zone.total}"]
  triggers_replace = var.all
}

output "text" {
  value = join(",", [for name, total in var.totals : "${name}:${total}"])
}

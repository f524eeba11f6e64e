variable "names" {
  type = list(string)
}

resource "terraform_data" "each" {
  for_each = toset(var.names)
  input    = each.key
}

output "count" {
  value = length(var.names)
}

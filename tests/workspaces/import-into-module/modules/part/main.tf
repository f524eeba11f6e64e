variable "keys" {
  type = set(string)
}

resource "terraform_data" "inner" {
  for_each = var.keys
  input    = each.key
}

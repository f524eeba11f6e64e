locals {
  format = "from the last"
}

resource "lab6_service" "a" {
  name = "overridden by the last, ${local.format}"
}

resource "terraform_data" "counted" {
  for_each = toset(["x"])
}

output "b" {
  sensitive = false
}

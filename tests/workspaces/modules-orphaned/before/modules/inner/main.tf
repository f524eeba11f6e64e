variable "text" {}

resource "terraform_data" "text" {
  input = var.text
}

resource "terraform_data" "removed" {
  for_each = toset(["x"])
}

variable "text" {}

resource "terraform_data" "text" {
  input = var.text
}

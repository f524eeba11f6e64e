variable "name" {
  type = string
}

resource "terraform_data" "web" {
  input = var.name
}

output "name" {
  value = terraform_data.web.output
}

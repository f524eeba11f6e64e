variable "name" {
  type = string
}

resource "terraform_data" "net" {
  input = var.name
}

output "id" {
  value = terraform_data.net.id
}

variable "name" {
  type        = string
  description = "What it is called."
}

resource "terraform_data" "host" {
  input = var.name
}

output "name" {
  value = var.name
}

output "id" {
  value = terraform_data.host.id
}

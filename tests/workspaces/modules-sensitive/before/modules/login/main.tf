variable "password" {
  type      = string
  sensitive = true
}

variable "user" {
  type = string
}

resource "terraform_data" "login" {
  input = {
    user     = var.user
    password = var.password
  }
}

output "login" {
  value     = "${var.user}:${var.password}"
  sensitive = true
}

output "user" {
  value = var.user
}

output "secret_by_itself" {
  value     = var.user
  sensitive = true
}

output "leaks" {
  value = terraform_data.login.input
}

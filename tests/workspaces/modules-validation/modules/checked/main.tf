variable "size" {
  type = number

  validation {
    condition     = var.size < 10
    error_message = "The size ${var.size} is too large."
  }
}

resource "terraform_data" "apart" {
  input = path.module
}

output "size" {
  value = var.size
}

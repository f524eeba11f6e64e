variable "amount" {
  type = number
}

resource "terraform_data" "stock" {
  input = var.amount
}

output "amount" {
  value = var.amount

  precondition {
    condition     = var.amount != 1
    error_message = "The stock of ${var.amount} is too small."
  }
}

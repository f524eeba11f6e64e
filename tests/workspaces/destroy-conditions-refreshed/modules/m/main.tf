variable "number" {
  default = 1
}

output "inner" {
  value = var.number

  precondition {
    condition     = var.number == 2
    error_message = "Not two."
  }
}

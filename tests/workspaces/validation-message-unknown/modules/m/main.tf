variable "address" {
  type = string
}

variable "size" {
  type = number

  validation {
    condition     = var.size > 5
    error_message = "The server at ${var.address} is too small."
  }
}

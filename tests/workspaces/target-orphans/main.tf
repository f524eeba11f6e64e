resource "terraform_data" "counted" {
  count = 1
  input = "x"
}

resource "terraform_data" "keyed" {
  for_each = toset(["c"])
}

variable "number" {
  default = 1

  validation {
    condition     = var.number == 2
    error_message = "Not two."
  }
}

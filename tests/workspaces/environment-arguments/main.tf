variable "text" {
  default = "default"
}

variable "later" {
  default = "default"
}

variable "file" {
  default = "default"
}

resource "terraform_data" "meant" {
  input = [var.text, var.later, var.file]
}

resource "terraform_data" "left_out" {
  input = "not planned"
}

output "meant" {
  value = terraform_data.meant.input
}

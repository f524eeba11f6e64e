variable "index" {
  type = number
}

variable "size" {
  type     = number
  default  = 3
  nullable = false
}

resource "terraform_data" "item" {
  count = 2
  input = "${var.index}-${count.index}-${var.size}"
}

output "items" {
  value = terraform_data.item[*].output
}

output "size" {
  value = var.size
}

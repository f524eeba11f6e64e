variable "least" {
  type    = number
  default = null
}

resource "terraform_data" "a" {
  input = 1
}

resource "terraform_data" "b" {
  input = 2
}

output "fails" {
  value = "${terraform_data.a.id} ${max(1, var.least)}"
}

output "works" {
  value = terraform_data.b.output
}

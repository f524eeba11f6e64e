terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "name" {}

resource "lab6_volume" "v" {
  name = var.name
}

resource "terraform_data" "beside" {
  input = var.name
}

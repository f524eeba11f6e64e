terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "precious" {
  name = "one"

  lifecycle {
    prevent_destroy = true
  }
}

resource "lab6_server" "grows" {
  name = "grows"

  lifecycle {
    prevent_destroy = true
  }
}

resource "terraform_data" "independent" {
  input = "one"
}

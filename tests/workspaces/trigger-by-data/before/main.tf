terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "a" {
}

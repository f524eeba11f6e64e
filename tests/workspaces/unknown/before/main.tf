terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "known" {
  name = "known"
}

resource "terraform_data" "consumer" {
  input = lab6_server.known.address
}

output "address" {
  value = lab6_server.known.address
}

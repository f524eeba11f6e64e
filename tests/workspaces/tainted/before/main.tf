terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "a" {
  input = "value"
}

resource "random_integer" "port" {
  min  = 1
  max  = 9
  seed = "seed"
}

resource "lab6_server" "web" {
  name  = "web-${count.index}"
  count = 2
}

resource "lab6_server" "changed" {
  name = "changed"
  size = 1
}

resource "lab5_instance" "legacy" {
  name = "legacy"
  disk { size = 1 }
}

resource "terraform_data" "first" {
  input = "value"

  lifecycle {
    create_before_destroy = true
  }
}

output "address" {
  value = lab6_server.web[1].address
}

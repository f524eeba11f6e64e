# What a refresh finds is no drift of a plan that destroys: it starts from the state after the refresh.
terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab5_instance" "read_otherwise" {
  name = "a"
  metadata {
    owner = "nobody"
  }
}

data "lab6_lookup" "read_again" {
  name = lab5_instance.read_otherwise.name
}

output "tags" {
  value = data.lab6_lookup.read_again.tags
}

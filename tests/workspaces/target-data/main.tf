terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

module "m" {
  source   = "./modules/m"
  for_each = toset(["x", "y"])
  name     = "b"
}

resource "lab6_server" "s" {
  for_each = toset(["x", "y"])
  name     = "b"
}

data "lab6_lookup" "l" {
  for_each = lab6_server.s
  name     = each.value.name
}

output "called" {
  value = { for key, m in module.m : key => m.region }
}

output "own" {
  value = { for key, it in data.lab6_lookup.l : key => it.region }
}

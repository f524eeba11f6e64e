# The number and the keys of ephemeral instances can be stored, their values cannot.

terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

ephemeral "lab6_session" "s" {
  for_each = toset(["a", "b"])
  name     = each.key
}

locals {
  tokens = { for key, session in ephemeral.lab6_session.s : key => session.token }
}

resource "lab6_secret" "s" {
  name             = join("-", [for key, session in ephemeral.lab6_session.s : key])
  write_only       = jsonencode(local.tokens)
  write_only_count = length(local.tokens)
}

output "nulls" {
  value = ephemeralasnull(local.tokens)
}

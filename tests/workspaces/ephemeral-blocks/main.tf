terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

variable "password" {
  type      = string
  ephemeral = true
  default   = "a"
}

locals {
  user = "${var.password}-x"
}

ephemeral "lab6_session" "first" {
  name = local.user
}

ephemeral "lab6_session" "second" {
  name = terraform.applying ? "x" : ephemeral.lab6_session.first.token
}

resource "lab6_secret" "s" {
  name       = "a"
  write_only = ephemeral.lab6_session.second.token
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "name" {}

resource "lab6_server" "user" {
  name = "user-of-${var.name}"

  lifecycle {
    create_before_destroy = true
  }
}

resource "lab6_server" "triggered" {
  name = "triggered"

  lifecycle {
    replace_triggered_by = [lab6_server.user.id]
  }
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "release" {
  default = 2
}

resource "terraform_data" "needed" {
  triggers_replace = var.release
}

resource "random_integer" "port" {
  min     = 1
  max     = 9
  seed    = "seed"
  keepers = { release = var.release }

  lifecycle {
    create_before_destroy = true
  }
}

resource "lab6_server" "web" {
  name = "web-${var.release}"
  tags = { needed = terraform_data.needed.id }

  lifecycle {
    create_before_destroy = true
  }
}

resource "lab6_server" "after" {
  name = "after-${lab6_server.web.id}"
}

resource "lab6_server" "updated" {
  name = "updated"
  size = var.release

  lifecycle {
    create_before_destroy = true
  }
}

terraform {
  required_providers {
    lab6 = {
      source                = "planlens/lab6"
      configuration_aliases = [lab6.blue, lab6.red]
    }
  }
}

variable "name" {}

resource "lab6_server" "default" {
  name = var.name
}

resource "lab6_server" "blue" {
  provider = lab6.blue
  name     = "${var.name}-blue"
}

module "deep" {
  source    = "../deep"
  providers = { lab6 = lab6.red }
}

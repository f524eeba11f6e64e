terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "endpoint" {}

provider "lab6" {
  endpoint = var.endpoint
}

resource "lab6_server" "own" {
  name = "own-${var.endpoint}"
}

module "below" {
  source = "../below"
}

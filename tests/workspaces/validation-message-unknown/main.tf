# A rule fails, but its message is not known yet.

terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

resource "lab6_server" "s" {
  name = "s"
}

module "m" {
  source  = "./modules/m"
  address = lab6_server.s.address
  size    = 3
}

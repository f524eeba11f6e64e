terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_checked" "a" {
  even = 2
  old  = "x"
}

module "named" {
  source = "./modules/named"
  text   = "t"
}

locals {
  old = lab6_checked.a.old
}

output "old" {
  value = "${module.named.old}-${local.old}"
}

output "new" {
  value = module.named.new
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

module "one" {
  source = "./modules/server"
  name   = "one"
}

module "two" {
  source = "./modules/server"
  name   = "${module.one.name}-2"
}

output "all" {
  value = module.two
}

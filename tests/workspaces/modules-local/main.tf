terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

module "one" {
  source   = "./modules/server"
  name     = "one"
  settings = { size = 7 }
}

module "two" {
  source = "./modules/server"
  name   = "${module.one.name}-two"
}

resource "terraform_data" "uses" {
  input = [module.one.id, module.two.name]
}

output "all" {
  value = module.two
}

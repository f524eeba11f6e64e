terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

module "old" {
  source = "./modules/server"
  name   = "same"
}

resource "terraform_data" "uses" {
  input = module.old.id
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

module "m" {
  source = "./modules/m"
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

module "base" {
  source = "./modules/base"
  name   = "base-2"
}

module "user" {
  source = "./modules/user"
  name   = module.base.name
}

resource "lab6_server" "after" {
  name       = "after-2"
  depends_on = [module.apart]
}

resource "terraform_data" "first" {
  triggers_replace = "2"
}

module "apart" {
  source     = "./modules/base"
  name       = "apart-2"
  depends_on = [terraform_data.first]
}

module "waits" {
  source     = "./modules/user"
  name       = "waits-2"
  depends_on = [module.before]
}

module "before" {
  source = "./modules/base"
  name   = "before-2"
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

provider "lab6" {
  endpoint = "default"
}

provider "lab6" {
  alias    = "east"
  endpoint = "east"
}

provider "lab6" {
  alias    = "west"
  endpoint = "west"
}

module "passed" {
  source = "./modules/inner"
  name   = "passed-2"
  providers = {
    lab6.blue = lab6.east
    lab6.red  = lab6.west
  }
}

module "explicit" {
  source = "./modules/inner"
  name   = "explicit"
  providers = {
    lab6      = lab6.west
    lab6.blue = lab6
    lab6.red  = lab6.east
  }
}

module "inherits" {
  source = "./modules/deep"
}

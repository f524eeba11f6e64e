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
  name   = "passed"
  providers = {
    lab6.blue = lab6.east
    lab6.red  = lab6.west
  }
}

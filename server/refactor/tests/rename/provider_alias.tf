# rename east
provider "random" {
  alias = "$0west"
}

provider "random" {
  alias = "north"
}

module "child" {
  source = "./child"
  providers = {
    random.main = random.west
  }
}
#- /child/main.tf
terraform {
  required_providers {
    random = {
      source                = "hashicorp/random"
      configuration_aliases = [random.main]
    }
  }
}
#=
no changes to infrastructure
#- /main.tf
# rename east
provider "random" {
  alias = "east"
}

provider "random" {
  alias = "north"
}

module "child" {
  source = "./child"
  providers = {
    random.main = random.east
  }
}

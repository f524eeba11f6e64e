# do Move test_thing.a into a new module
terraform {
  required_providers {
    test = {
      source  = "example/test"
      version = "~> 1.0"
    }
  }
}

provider "test" {
  alias = "west"
}

resource "test_thing" "$0a" {
  provider = test.west

  dynamic "part" {
    for_each = var.parts
    iterator = it

    content {
      name = it.value
      size = it.key + var.more
    }
  }
}

variable "parts" {
  type = list(object({ name = string }))
}

variable "more" {}
#=
no changes in what could be planned (module.a.test_thing.a: provider registry.terraform.io/example/test is not installed: run `terraform init`)
#- /main.tf
# do Move test_thing.a into a new module
terraform {
  required_providers {
    test = {
      source  = "example/test"
      version = "~> 1.0"
    }
  }
}

provider "test" {
  alias = "west"
}

module "a" {
  source = "./modules/a"
  parts  = var.parts
  more   = var.more
  providers = {
    test.west = test.west
  }
}

moved {
  from = test_thing.a
  to   = module.a.test_thing.a
}

variable "parts" {
  type = list(object({ name = string }))
}

variable "more" {}
#- /modules/a/main.tf
resource "test_thing" "a" {
  provider = test.west

  dynamic "part" {
    for_each = var.parts
    iterator = it

    content {
      name = it.value
      size = it.key + var.more
    }
  }
}
#- /modules/a/variables.tf
variable "parts" {
  type = list(object({ name = string }))
}

variable "more" {
  type = any
}
#- /modules/a/versions.tf
terraform {
  required_providers {
    test = {
      source                = "example/test"
      version               = "~> 1.0"
      configuration_aliases = [test.west]
    }
  }
}

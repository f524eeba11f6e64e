terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
  provider_meta "lab6" {
    module_name = "root-2"
  }
}

resource "lab6_described" "a" {
  name = "a"
}

resource "lab6_described" "added" {
}

module "child" {
  source = "./modules/child"
  name   = "child-2"
}

module "silent" {
  source = "./modules/silent"
}

output "modules" {
  value = [lab6_described.a.module, module.child.module, module.silent.module]
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
  provider_meta "lab6" {
    module_name = "root"
  }
}

resource "lab6_described" "a" {
  name = "a"
}

module "child" {
  source = "./modules/child"
  name   = "child"
}

module "silent" {
  source = "./modules/silent"
}

output "modules" {
  value = [lab6_described.a.module, module.child.module, module.silent.module]
}

# do Add count to terraform_data.a
module "one" {
  source = "./one"
}

import {
  to = module.one.terraform_data.a
  id = "1"
}
#- /one/main.tf
resource "terraform_data" "$0a" {
  input = "x"
}
#=
no changes in what could be planned (module.one.terraform_data.a: module.one.terraform_data.a[0] is to be imported, but its object is not read yet)
#- /main.tf
# do Add count to terraform_data.a
module "one" {
  source = "./one"
}

import {
  to = module.one.terraform_data.a[0]
  id = "1"
}
#- /one/main.tf
resource "terraform_data" "a" {
  count = 1

  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.a[0]
}

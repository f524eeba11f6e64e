# rename b
resource "terraform_data" "$0a" {
  for_each = toset(["k"])
  input    = "x"
}

import {
  to = terraform_data.a["k"]
  id = "1"
}
#=
no changes in what could be planned (terraform_data.b: terraform_data.b["k"] is to be imported, but its object is not read yet)
#- /main.tf
# rename b
resource "terraform_data" "b" {
  for_each = toset(["k"])
  input    = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

import {
  to = terraform_data.b["k"]
  id = "1"
}

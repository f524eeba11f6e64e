# do Add count to terraform_data.a
resource "terraform_data" "$0a" {
  input = "x"
}

import {
  to = terraform_data.a
  id = "1"
}
#=
no changes in what could be planned (terraform_data.a: terraform_data.a[0] is to be imported, but its object is not read yet)
#- /main.tf
# do Add count to terraform_data.a
resource "terraform_data" "a" {
  count = 1

  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.a[0]
}

import {
  to = terraform_data.a[0]
  id = "1"
}

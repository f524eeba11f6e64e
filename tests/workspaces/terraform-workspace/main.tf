locals {
  sizes = { default = 1, staging = 2 }
}

resource "terraform_data" "here" {
  input = {
    workspace = terraform.workspace
    size      = lookup(local.sizes, terraform.workspace, 0)
    module    = path.module
    file      = "${path.module}/file.txt"
    same      = path.module == path.root
  }
}

resource "terraform_data" "new" {
  count = terraform.workspace == "default" ? 0 : 1
}

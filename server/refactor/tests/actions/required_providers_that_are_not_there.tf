# do Update required_providers
$0terraform {
  required_version = ">= 1.0"
}

resource "null_resource" "a" {
}
#=
no changes in what could be planned (null_resource.a: provider registry.terraform.io/hashicorp/null is not installed: run `terraform init`)
#- /main.tf
# do Update required_providers
terraform {
  required_version = ">= 1.0"
  required_providers {
    null = {
      source = "hashicorp/null"
    }
  }
}

resource "null_resource" "a" {
}

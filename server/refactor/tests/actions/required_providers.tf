# do Update required_providers
$0terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

resource "null_resource" "a" {
}

resource "terraform_data" "b" {
}

provider "google" {
}
#=
no changes in what could be planned (null_resource.a: provider registry.terraform.io/hashicorp/null is not installed: run `terraform init`)
#- /main.tf
# do Update required_providers
terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
    google = {
      source = "hashicorp/google"
    }
    null = {
      source = "hashicorp/null"
    }
  }
}

resource "null_resource" "a" {
}

resource "terraform_data" "b" {
}

provider "google" {
}

# The scope of the expressions in expressions.txt; tests/unknown.rs has the same: an id that is not known before apply,
# but will not be null.

terraform {
  required_providers {
    terraform = {
      source = "terraform.io/builtin/terraform"
    }
  }
}

resource "terraform_data" "u" {}

variable "secret" {
  default   = "hush"
  sensitive = true
}

locals {
  id = terraform_data.u.id
}

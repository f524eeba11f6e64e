# rename zone
variable "$0region" {
  type    = string
  default = "here"

  validation {
    condition     = var.region != ""
    error_message = "No ${var.region}"
  }
}

output "where" {
  value = var.region
}
#- /terraform.tfvars
region = "there"
other  = "region"
#- /prod.auto.tfvars.json
{ "region": "prod" }
#- /tests/a.tftest.hcl
variables {
  region = "test"
}

run "a" {
  variables {
    region = "inner"
  }

  assert {
    condition     = var.region == "inner" && output.where == var.region
    error_message = "region"
  }
}

run "elsewhere" {
  module {
    source = "./helper"
  }
  variables {
    region = "helper"
  }
}
#=
no changes to infrastructure
#- /main.tf
# rename zone
variable "zone" {
  type    = string
  default = "here"

  validation {
    condition     = var.zone != ""
    error_message = "No ${var.zone}"
  }
}

output "where" {
  value = var.zone
}
#- /prod.auto.tfvars.json
{ "zone": "prod" }
#- /terraform.tfvars
zone = "there"
other  = "region"
#- /tests/a.tftest.hcl
variables {
  zone = "test"
}

run "a" {
  variables {
    zone = "inner"
  }

  assert {
    condition     = var.zone == "inner" && output.where == var.zone
    error_message = "region"
  }
}

run "elsewhere" {
  module {
    source = "./helper"
  }
  variables {
    region = "helper"
  }
}

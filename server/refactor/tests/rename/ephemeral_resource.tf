# rename fresh
ephemeral "random_password" "$0secret" {
  length = 12
}

locals {
  secret = ephemeral.random_password.secret.result
}
#=
no changes in what could be planned (ephemeral.random_password.fresh: provider registry.terraform.io/hashicorp/random is not installed: run `terraform init`)
#- /main.tf
# rename fresh
ephemeral "random_password" "fresh" {
  length = 12
}

locals {
  secret = ephemeral.random_password.fresh.result
}

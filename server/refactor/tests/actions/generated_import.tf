# do Generate the configuration of terraform_data.a
import {
  $0to = terraform_data.a
  id = "some"
}

output "id" {
  value = terraform_data.a.id
}
#=
no changes to infrastructure
#- /main.tf
# do Generate the configuration of terraform_data.a
import {
  to = terraform_data.a
  id = "some"
}

resource "terraform_data" "a" {
  input            = null
  triggers_replace = null
}

output "id" {
  value = terraform_data.a.id
}

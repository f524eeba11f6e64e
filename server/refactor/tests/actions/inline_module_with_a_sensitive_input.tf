# do Inline module.one
variable "secret" {
  default = "x"
}

module "$0one" {
  source = "./one"
  secret = var.secret
}
#- /one/main.tf
variable "secret" {
  sensitive = true
}

resource "terraform_data" "a" {
  input = <<-EOT
    ${var.secret}
  EOT
}
#- state module.one.terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# do Inline module.one
variable "secret" {
  default = "x"
}

locals {
  one_secret = sensitive(var.secret)
}

resource "terraform_data" "a" {
  input = <<-EOT
    ${local.one_secret}
  EOT
}

moved {
  from = module.one.terraform_data.a
  to   = terraform_data.a
}

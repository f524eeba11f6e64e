# do Move terraform_data.a into a new module
module "outer" {
  for_each = toset(["l", "r"])
  source   = "./outer"
  name     = each.key
}
#- /outer/main.tf
variable "name" {
  type = string
}

resource "terraform_data" "$0a" {
  count = 2
  input = <<-EOT
    ${var.name}
    ${count.index}
  EOT
}

output "ids" {
  value = terraform_data.a[*].id
}
#- state module.outer["l"].terraform_data.a[0]
l
#- state module.outer["r"].terraform_data.a[0]
r
#=
no changes to infrastructure
#- /outer/main.tf
variable "name" {
  type = string
}

module "a" {
  source = "./modules/a"
  name   = var.name
}

moved {
  from = terraform_data.a
  to   = module.a.terraform_data.a
}

output "ids" {
  value = module.a.a[*].id
}
#- /outer/modules/a/main.tf
resource "terraform_data" "a" {
  count = 2
  input = <<-EOT
    ${var.name}
    ${count.index}
  EOT
}
#- /outer/modules/a/outputs.tf
output "a" {
  value = terraform_data.a
}
#- /outer/modules/a/variables.tf
variable "name" {
  type = string
}

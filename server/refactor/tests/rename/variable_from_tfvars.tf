# rename zone
variable "region" {}

output "where" {
  value = var.region
}
#- /terraform.tfvars
$0region = "there"
#=
no changes to infrastructure
#- /main.tf
# rename zone
variable "zone" {}

output "where" {
  value = var.zone
}
#- /terraform.tfvars
zone = "there"

# A small configuration with Terraform's builtin provider: it needs no plugin, network or cloud.
# Its state is that of an earlier apply: release 1.4.0 in two regions.

variable "release" {
  type    = string
  default = "1.5.0"
}

variable "regions" {
  type    = map(number)
  default = { eu = 2, us = 3, ap = 1 }
}

locals {
  image = "shop:${var.release}"
}

# The input changes: an update in place. The output is known after apply.
resource "terraform_data" "settings" {
  input = {
    image    = local.image
    replicas = sum(values(var.regions))
    debug    = false
  }
}

# A changed trigger replaces the object.
resource "terraform_data" "migration" {
  input            = "migrate --to ${var.release}"
  triggers_replace = var.release
}

# One instance for each region; `ap` is new, and `us` has grown.
resource "terraform_data" "region" {
  for_each = var.regions
  input    = "${each.key}: ${each.value} replicas"
}

# This one uses a value that is known only after apply.
resource "terraform_data" "report" {
  input = "migrated by ${terraform_data.migration.id}"
}

output "image" {
  value = local.image
}

output "migration" {
  value = terraform_data.migration.id
}

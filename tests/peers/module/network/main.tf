variable "cidr" {
  type        = string
  description = "The range of addresses."
}

variable "zones" {
  type    = list(string)
  default = []
}

variable "public" {
  type    = bool
  default = false
}

locals {
  subnets = { for index, zone in var.zones : zone => cidrsubnet(var.cidr, 8, index) }
}

output "subnets" {
  value       = local.subnets
  description = "By zone."
}

output "cidr" {
  value = var.cidr
}

# The cloud of the workspace of that name, in two modules.

terraform {
  required_providers {
    lab5 = {
      source = "planlens/lab5"
    }
  }
}

variable "name" {
  type    = string
  default = "prod"
}

variable "cidr" {
  type    = string
  default = "10.0.0.0/16"
}

variable "zones" {
  type    = list(string)
  default = ["eu-1a", "eu-1b"]
}

variable "one_nat_per_zone" {
  type    = bool
  default = true
}

variable "create_key" {
  type    = bool
  default = true
}

variable "node_groups" {
  type = map(object({
    types    = list(string)
    min      = number
    max      = optional(number, 5)
    capacity = optional(string)
    labels   = optional(map(string), {})
    taints   = optional(list(object({ key = string, value = optional(string), effect = string })), [])
  }))
  default = {
    general = { types = ["m6.large"], min = 3, labels = { role = "general" } }
    spot    = { types = ["m6.large"], min = 0, max = 20, capacity = "SPOT", taints = [{ key = "spot", effect = "NO_SCHEDULE" }] }
    gpu     = { types = ["g5.xlarge"], min = 1, taints = [{ key = "gpu", value = "true", effect = "NO_EXECUTE" }] }
  }
}

variable "rules" {
  type = list(object({ port = number, from = list(string), note = optional(string) }))
  default = [
    { port = 443, from = ["0.0.0.0/0"], note = "https" },
    { port = 22, from = ["10.0.0.0/8"], note = "ssh" },
    { port = 10250, from = ["10.0.0.0/8"], note = "kubelet" },
  ]
}

module "network" {
  source = "./modules/network"

  name             = var.name
  cidr             = var.cidr
  zones            = var.zones
  one_nat_per_zone = var.one_nat_per_zone
}

module "cluster" {
  source   = "./modules/cluster"
  for_each = toset([var.name])

  name        = each.key
  vpc         = module.network.vpc
  public      = module.network.public
  private     = module.network.private
  create_key  = var.create_key
  node_groups = var.node_groups
  rules       = var.rules
}

output "endpoint" {
  value = module.cluster[var.name].endpoint
}

output "node_groups" {
  value = { for name, cluster in module.cluster : name => cluster.node_groups }
}

output "addresses" {
  value = module.network.addresses
}

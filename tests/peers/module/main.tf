terraform {
  required_version = ">= 1.5"

  required_providers {
    local = {
      source  = "hashicorp/local"
      version = "2.9.0"
    }
    random = {
      source  = "hashicorp/random"
      version = "~> 3.9"
    }
    time = {
      source = "hashicorp/time"
    }
    tls = {
      source = "hashicorp/tls"
    }
  }
}

provider "random" {}

provider "time" {
  alias = "slow"
}

variable "name" {
  type        = string
  default     = "web"
  description = "What everything is named after."
}

variable "size" {
  type    = number
  default = 3
}

variable "enabled" {
  type    = bool
  default = true
}

variable "zones" {
  type    = list(string)
  default = ["a", "b"]
}

variable "tags" {
  type    = map(string)
  default = { team = "blue" }
}

variable "disk" {
  type = object({
    gib  = number
    kind = optional(string)
  })
  default = { gib = 10 }
}

locals {
  prefix = "p-${var.name}"
  count  = var.size + 1
  nodes = {
    one = { zone = "a" }
    two = { zone = "b" }
  }
}

resource "random_password" "main" {
  length  = 12
  special = false
}

resource "random_pet" "names" {
  for_each = local.nodes
  prefix   = each.value.zone
}

resource "terraform_data" "first" {
  input = local.prefix
}

resource "tls_private_key" "key" {
  algorithm = "ED25519"
}

data "local_file" "notes" {
  filename = "notes.txt"
}

module "network" {
  source = "./network"

  cidr  = "10.0.0.0/16"
  zones = var.zones
}

output "password" {
  value     = random_password.main.result
  sensitive = true
}

# Functions that providers define: known, null, unknown and sensitive arguments, in every place an expression may be.

terraform {
  required_providers {
    lab = {
      source = "planlens/lab6"
    }
    time = {
      source = "hashicorp/time"
    }
    terraform = {
      source = "terraform.io/builtin/terraform"
    }
  }
}

variable "address" {
  type    = string
  default = "example.com:8080"

  validation {
    condition     = provider::lab::endpoint(var.address).host != ""
    error_message = "An address needs a host."
  }
}

variable "secret" {
  type      = string
  default   = "MARKER-SECRET"
  sensitive = true
}

locals {
  endpoint = provider::lab::endpoint(var.address)
  names    = [for name in ["a", "b"] : provider::lab::join("-", "disk", name)]
}

resource "lab6_note" "named" {
  for_each = toset(local.names)
  provider = lab

  text  = provider::lab::join(" ", each.key, local.endpoint.host)
  title = provider::lab::or_default(null)
}

resource "lab6_note" "derived" {
  provider = lab

  text  = provider::lab::join("/", lab6_note.named["disk-a"].id, "x")
  title = provider::lab::join("/", lab6_note.named["disk-a"].text, "x")
}

resource "terraform_data" "any" {
  input = provider::lab::any({ list = [1, "two"], null = null, nested = { yes = true } })
}

output "endpoint" {
  value = local.endpoint
}

output "none" {
  value = provider::lab::join(",")
}

output "unknown" {
  value = provider::lab::endpoint(lab6_note.derived.id)
}

output "is_known" {
  value = [provider::lab::is_known("x"), provider::lab::is_known(lab6_note.derived.id)]
}

output "secret" {
  value     = provider::lab::join("-", "a", var.secret)
  sensitive = true
}

output "tried" {
  value = [try(provider::lab::fail(), "failed"), can(provider::lab::endpoint("x"))]
}

output "hours" {
  value = provider::time::duration_parse("90m").hours
}

output "tfvars" {
  value = provider::terraform::encode_tfvars({ address = var.address, unknown = null })
}

output "prefix" {
  value = startswith(provider::terraform::encode_expr([lab6_note.derived.id]), "[")
}

output "decoded" {
  value = provider::terraform::decode_tfvars("a = [1, 2]\nb = \"$$$${c}\"\n")
}

variable "simple" {}

variable "typed" { type = string }

variable "instance" {
  description = <<-EOT
    The instance.

    * `name`: its name
    * `disks`: its disks, at least one
  EOT
  type = object({
    name = string
    size = optional(string, "small")
    disks = optional(list(object({
      size_gb   = number
      encrypted = optional(bool, true)
      labels    = optional(map(string), {})
    })), [])
    network = optional(tuple([string, number, bool]))
    extra   = any
  })
  default = {
    name  = "web"
    extra = null
  }
  nullable  = false
  sensitive = true
  ephemeral = false

  validation {
    condition = (
      length(var.instance.name) > 3 &&
      can(regex("^[a-z][a-z0-9-]*$", var.instance.name))
    )
    error_message = "The name must have more than 3 characters, not \"${var.instance.name}\"."
  }

  validation {
    condition     = alltrue([for d in var.instance.disks : d.size_gb >= 10])
    error_message = <<-EOT
      Disks must be at least 10 GB:
      %{ for d in var.instance.disks ~}
      - ${d.size_gb}
      %{ endfor ~}
    EOT
  }
}

variable "sets" {
  type    = set(string)
  default = ["a", "b", ]
}

variable "maps" {
  type = map(
    object(
      {
        a = string,
        b = number
        c = list(any),
      }
    )
  )
}

locals {
  by_name = { for i, v in var.sets : v => { index = i, name = upper(v) } }
  flat = flatten([
    for key, group in var.maps : [
      for item in group.c : {
        key  = key
        item = item
      } if item != null
    ]
  ])
  grouped  = { for x in local.flat : x.key => x.item... }
  negative = !contains([for x in local.flat : x.key], "a") || -1 * length(local.flat) < -5
  first    = try(local.flat[0].item, one(local.flat[*].item), "none")
  deep     = var.instance.disks[length(var.instance.disks) - 1].labels["a.b/c"]
  chain    = var.a != null ? var.a : var.b != null ? var.b : var.c != null ? var.c : "d"
}

variable "name" {
  type = string
}

variable "size" {
  type    = number
  default = 1
}

variable "server" {
  type = object({
    name  = string
    ports = optional(list(number), [80])
    disk  = optional(object({ size = optional(number, 10), kind = optional(string) }), {})
    tags  = optional(map(string))
  })
}

variable "zones" {
  type = set(string)
}

variable "anything" {
  type    = any
  default = null
}

variable "nullable" {
  type     = string
  default  = "fallback"
  nullable = false
}

variable "from_environment" {
  type = list(string)
}

variable "plain_text_from_environment" {
  type = string
}

resource "terraform_data" "variables" {
  input = {
    name     = var.name
    size     = var.size
    server   = var.server
    zones    = var.zones
    anything = var.anything
    nullable = var.nullable
    list     = var.from_environment
    text     = var.plain_text_from_environment
  }
}

output "name" {
  value       = var.name
  description = "The name."
}

output "same" {
  value = var.zones
}

output "becomes_sensitive" {
  value     = "MARKER-SECRET-output"
  sensitive = true
}

output "changes_type" {
  value = ["1"]
}

output "null" {
  value = null
}

output "added" {
  value = { a = [1, 2], b = terraform_data.variables.id }
}

terraform {
  required_providers {
    terraform = {
      source = "terraform.io/builtin/terraform"
    }
  }
}

# The scope of the expressions in expressions.txt; tests/console.rs has the same.

variable "name" {
  default = "web"
}

variable "secret" {
  default   = "hush"
  sensitive = true
}

variable "names" {
  type    = list(string)
  default = ["a", "b", "c"]
}

variable "ports" {
  type    = map(number)
  default = { http = 80, https = 443 }
}

variable "disks" {
  type = list(object({
    name = string
    size = optional(number, 10)
  }))
  default = [{ name = "root" }, { name = "data", size = 100 }]
}

variable "nothing" {
  type    = string
  default = null
}

variable "greeting" {
  default = "Hello $${name}%%{ if loud }!%%{ endif }"
}

variable "n" {
  default = 1
}

variable "type_alone" {
  type    = object({ a = string, b = optional(number, 3) })
  default = { a = "q" }
}

variable "both" {
  type    = object({ a = string, b = optional(number, 3) })
  default = { a = "q" }
}

output "checked" {
  value = 2
  precondition {
    condition     = var.n != 4
    error_message = "n is 4"
  }
}

output "type_alone" {
  value = var.type_alone
}

output "both" {
  value = var.both
}

variable "type_alone" {
  type = object({ a = string, b = optional(number, 4) })
}

variable "both" {
  type    = object({ a = string, b = optional(number, 4), c = optional(string, "c") })
  default = { a = "z" }
}

output "checked" {
  value = 1
}

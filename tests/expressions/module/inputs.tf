# What the expressions read: known, null, sensitive, unknown and refined values of many types.

# One element: each expression is repeated for it.
variable "once" {
  type    = list(number)
  default = [1]
}

variable "str" {
  type    = string
  default = "Hello, wörld"
}

variable "num" {
  type    = number
  default = 7
}

variable "flag" {
  type    = bool
  default = true
}

variable "strs" {
  type    = list(string)
  default = ["b", "a", "", "a", "10", "9"]
}

variable "nums" {
  type    = list(number)
  default = [3, -1.5, 0, 3, 12]
}

variable "flags" {
  type    = list(bool)
  default = [true, false]
}

variable "set" {
  type    = set(string)
  default = ["z", "a", "10", "9", "é"]
}

variable "num_set" {
  type    = set(number)
  default = [10, 9, -2, 0.5]
}

variable "map" {
  type    = map(string)
  default = { a = "x", b = "", "c d" = "y" }
}

variable "num_map" {
  type    = map(number)
  default = { a = 1, b = 2.5 }
}

variable "obj" {
  type = object({
    name = string
    size = optional(number, 5)
  })
  default = { name = "box" }
}

variable "objs" {
  type = list(object({
    name = string
    size = number
  }))
  default = [{ name = "a", size = 1 }, { name = "b", size = null }]
}

variable "obj_set" {
  type = set(object({
    name = string
    size = number
  }))
  default = [{ name = "b", size = 1 }, { name = "a", size = 2 }]
}

variable "lists" {
  type    = map(list(string))
  default = { a = ["x", "y"], b = [], c = ["x"] }
}

variable "anything" {
  type    = any
  default = [1, "two", true, null, { three = [3] }]
}

variable "null_str" {
  type    = string
  default = null
}

variable "null_num" {
  type    = number
  default = null
}

variable "null_flag" {
  type    = bool
  default = null
}

variable "null_strs" {
  type    = list(string)
  default = null
}

variable "null_map" {
  type    = map(string)
  default = null
}

variable "null_obj" {
  type = object({
    name = string
    size = number
  })
  default = null
}

variable "secret_str" {
  type      = string
  default   = "hunter2"
  sensitive = true
}

variable "secret_num" {
  type      = number
  default   = 42
  sensitive = true
}

variable "secret_flag" {
  type      = bool
  default   = true
  sensitive = true
}

variable "secret_strs" {
  type      = list(string)
  default   = ["s", "t", "s"]
  sensitive = true
}

variable "secret_set" {
  type      = set(string)
  default   = ["s", "t"]
  sensitive = true
}

variable "secret_map" {
  type      = map(string)
  default   = { a = "s", k = "t" }
  sensitive = true
}

variable "secret_obj" {
  type = object({
    name = string
    size = number
  })
  default   = { name = "safe", size = 3 }
  sensitive = true
}

resource "terraform_data" "unknown_str" {
  input = "later"
}

resource "terraform_data" "unknown_num" {
  input = 1
}

resource "terraform_data" "unknown_flag" {
  input = true
}

resource "terraform_data" "unknown_strs" {
  input = var.strs
}

resource "terraform_data" "unknown_nums" {
  input = var.nums
}

resource "terraform_data" "unknown_set" {
  input = var.set
}

resource "terraform_data" "unknown_map" {
  input = var.map
}

resource "terraform_data" "unknown_obj" {
  input = var.obj
}

resource "terraform_data" "unknown_tuple" {
  input = ["a", 1]
}

locals {
  template     = "<$${a}>"
  refined      = "pre-${terraform_data.unknown_str.id}"
  unknown_any  = jsondecode(terraform_data.unknown_str.output)
  half_strs    = tolist(["a", terraform_data.unknown_str.output, "c"])
  half_set     = toset(["a", terraform_data.unknown_str.output])
  half_map     = tomap({ a = "x", b = terraform_data.unknown_str.id })
  # Both unknown: one that is known to differ makes terraform say now false, now unknown, when it compares.
  half_obj     = { name = terraform_data.unknown_str.output, size = terraform_data.unknown_num.output }
  half_tuple   = [terraform_data.unknown_num.output, "b"]
  part_strs    = tolist(["a", var.secret_str])
  part_map     = tomap({ a = "x", b = var.secret_str })
  part_obj     = { name = var.secret_str, size = 2 }
  secret_later = sensitive(terraform_data.unknown_str.id)
}

# Each variable is given a value in its place of the order and in all places before it.

variable "default" {
  default = "default"
}

variable "environment" {
  default = "default"
}

variable "tfvars" {
  default = "default"
}

variable "tfvars_json" {
  default = "default"
}

variable "first_auto" {
  default = "default"
}

variable "later_auto" {
  default = "default"
}

variable "file" {
  default = "default"
}

variable "option" {
  default = "default"
}

variable "file_after_option" {
  default = "default"
}

variable "list" {
  type    = list(string)
  default = []
}

variable "typed_by_option" {
  type = map(number)
}

resource "terraform_data" "values" {
  input = {
    default           = var.default
    environment       = var.environment
    tfvars            = var.tfvars
    tfvars_json       = var.tfvars_json
    first_auto        = var.first_auto
    later_auto        = var.later_auto
    file              = var.file
    option            = var.option
    file_after_option = var.file_after_option
    list              = var.list
    typed_by_option   = var.typed_by_option
  }
}

variable "old" {
  type       = string
  default    = null
  deprecated = "Use new instead."
}

variable "new" {
  type    = string
  default = "n"
}

resource "terraform_data" "named" {
  input = var.new
}

# A file that begins with a byte order mark.
variable "x" {
  type    = string
  default = "\ufeff"
}

resource "a" "b" {
  c = var.x
  d = [var.x, var.x]

  e {
    f = "g"
  }
}

output "x" {
  value     = a.b.c
  sensitive = true
}

locals {
  y = "${var.x}"
  z = { for k in [var.x] : k => k }
}

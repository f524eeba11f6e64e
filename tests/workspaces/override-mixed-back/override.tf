variable "level" {
  type    = string
  default = "high"
}

locals {
  format = "native"
}

resource "lab6_service" "a" {
  port { number = 443 }
  dynamic "volume" {
    for_each = ["/a", "/b"]
    content { path = volume.value }
  }
}

resource "terraform_data" "counted" {
  count = 1
  input = { level = var.level, index = count.index }
}

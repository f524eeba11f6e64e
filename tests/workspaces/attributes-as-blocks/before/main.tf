terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
  }
}

variable "port" {
  default = 5
}

resource "lab5_instance" "written" {
  name = "written"
  rule {
    port  = 80
    allow = "all"
  }
  rule {
    port  = 443
    allow = null
  }
}

resource "lab5_instance" "refers" {
  name = "refers"
  rule {
    port  = var.port
    allow = null
  }
  rule {
    port  = 22
    allow = null
  }
}

resource "lab5_instance" "dynamic" {
  name = "dynamic"
  dynamic "rule" {
    for_each = [1, var.port]
    content {
      port  = rule.value
      allow = null
    }
  }
}

resource "lab5_instance" "attribute" {
  name = "attribute"
  rule = [{ port = 1, allow = null }]
}

resource "lab5_instance" "emptied" {
  name = "emptied"
  rule {
    port  = 7
    allow = null
  }
  rule {
    port  = 8
    allow = null
  }
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "ports" {
  default = { dns = 53, http = 8080, https = 443 }
}

resource "lab6_service" "dynamic" {
  name = "dynamic"

  dynamic "port" {
    for_each = var.ports
    content {
      number   = port.value
      protocol = port.key == "dns" ? "udp" : null

      dynamic "allow" {
        for_each = port.value > 100 ? ["10.0.0.0/8"] : []
        iterator = network
        content {
          from = network.value
        }
      }
    }
  }
}

resource "lab6_service" "set" {
  name = "set"
  volume { path = "/c" }
  volume {
    path = "/b"
    size = 2
  }
}

resource "lab6_service" "single" {
  name = "single"
  logging {
    level  = "info"
    format = "text"
  }
}

resource "lab6_service" "replaced" {
  name = "replaced"
  port {
    number = 80
    allow { from = "a" }
    allow { from = "c" }
  }
}

resource "lab6_service" "timeouts" {
  name = "timeouts"
  timeouts { update = "2m" }
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

import {
  to = lab6_volume.v
  id = "q"
}

resource "lab6_volume" "v" {
  name = "q"
}

output "size" {
  value = lab6_volume.v.size
}

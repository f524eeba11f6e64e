terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_described" "a" {
  name = "silent"
}

output "module" {
  value = lab6_described.a.module
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_checked" "refused" {
  planned = "error"
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

provider "lab6" {
}

resource "lab6_note" "n" {
  text = "in a module"
}

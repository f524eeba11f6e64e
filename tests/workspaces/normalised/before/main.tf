terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_note" "framework" {
  text = "Hello, World"
}

resource "lab6_note" "titled" {
  text  = "Hello, World"
  title = "one"
}

resource "lab5_instance" "legacy" {
  rule  = []
  name  = "legacy"
  label = "Label"
}

resource "lab5_instance" "also_changed" {
  rule  = []
  name  = "also"
  label = "Label"
  size  = 1
}

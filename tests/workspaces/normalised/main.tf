terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_note" "framework" {
  text = "  hello,   WORLD "
}

resource "lab6_note" "titled" {
  text  = "  hello,   WORLD "
  title = "two"
}

resource "lab5_instance" "legacy" {
  rule  = []
  name  = "legacy"
  label = "LABEL"
}

resource "lab5_instance" "also_changed" {
  rule  = []
  name  = "also"
  label = "LABEL"
  size  = 2
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_note" "n" {
  count = 12
  text  = "t${count.index}"
}

resource "lab6_note" "n1" {
  text = "one"
}

resource "lab6_note" "n-a" {
  for_each = toset(["b", "a", "10", "9"])
  text     = each.key
}

data "lab6_lookup" "z" {
  count = 11
  name  = "z${count.index}"
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_volume" "kept" {
  name = "kept"
}

resource "lab6_volume" "resized" {
  name = "resized"
  size = 1
}

resource "lab6_volume" "renamed" {
  name = "before"
}

resource "lab6_volume" "deleted" {
  name = "deleted"
}

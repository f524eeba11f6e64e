terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

resource "lab6_planned" "same" {
  a = 1
}

resource "lab6_planned" "sum" {
  a = 1
  b = 2
}

resource "lab6_planned" "mode" {
  a    = 1
  mode = "shared"
}

resource "lab6_planned" "other_mode" {
  a    = 1
  mode = "shared"
}

resource "lab6_planned" "addresses" {
  a         = 1
  addresses = [{ zone = "a" }, { ip = "10.0.0.1", zone = "b" }]
}

resource "lab6_volume" "resized" {
  name = "one"
  size = 1
}

resource "lab6_volume" "renamed" {
  name = "two"
}

resource "lab6_disk" "gone" {
  label = "old"
}

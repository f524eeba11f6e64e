terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_upgraded" "same" {
  name = "same"
  size = 10
}

resource "lab6_upgraded" "changed" {
  name = "changed"
  size = 20
}

resource "lab6_upgraded" "replaced" {
  name = "replaced-again"
}

resource "lab5_upgraded" "same" {
  name = "same"
  size = 10
}

resource "lab5_upgraded" "replaced" {
  name = "replaced-again"
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_document" "text" {
  content = "one"
}

resource "lab6_document" "shape" {
  content = { a = 1, b = ["x"] }
}

resource "lab6_document" "type" {
  content = 1
}

resource "lab6_document" "same" {
  content = [1, "a", { b = null }]
}

terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_note" "a" {
  text = "a"
}

resource "lab6_note" "b" {
  text = "b-${lab6_note.a.id}"
}

resource "lab6_note" "c" {
  text = "c-${lab6_note.b.id}"
}

resource "terraform_data" "d" {
  input = lab6_note.c.id
}

resource "terraform_data" "apart" {
  input = lab6_note.a.id
}

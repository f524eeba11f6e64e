terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_note" "a" {
  text = "a"
}

# It refers to another one since, and c and d are no longer declared.
resource "lab6_note" "b" {
  text = "b"
}

resource "terraform_data" "apart" {
  input = lab6_note.b.id
}

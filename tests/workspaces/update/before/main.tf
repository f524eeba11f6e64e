terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "text" {
  input = "before"
}

resource "terraform_data" "shape" {
  input = { size = 1, names = ["a", "b"] }
}

resource "terraform_data" "gone" {
  input = "set"
}

resource "lab6_server" "web" {
  name   = "web"
  size   = 10
  tier   = "gold"
  quota  = 1
  groups = ["a", "b"]
  tags   = { keep = "same", drop = "old" }
}

resource "lab6_server" "plain" {
  name = "plain"
}

resource "local_file" "note" {
  filename = "note.txt"
  content  = "constant"
}

output "text" {
  value = terraform_data.text.output
}

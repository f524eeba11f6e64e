terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "text" {
  input = "after"
}

resource "terraform_data" "shape" {
  input = { size = "1", names = toset(["a", "b"]), more = null }
}

resource "terraform_data" "gone" {
}

resource "lab6_server" "web" {
  name   = "web"
  size   = 20
  quota  = 1e30
  ratio  = 0.1
  groups = ["b", "c"]
  tags   = { keep = "same", add = "new" }
}

resource "lab6_server" "plain" {
  name = "plain"
  size = 1
  tags = { address = lab6_server.web.address, id = lab6_server.web.id }
}

resource "local_file" "note" {
  filename = "note.txt"
  content  = "constant"
}

output "text" {
  value = terraform_data.text.output
}

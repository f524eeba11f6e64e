resource "terraform_data" "image" {
  triggers_replace = terraform_data.server[0].id
}

resource "terraform_data" "server" {
  count = 2
  input = "server-${count.index}"
}

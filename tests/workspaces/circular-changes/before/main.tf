resource "terraform_data" "image" {
  input = 1
}

resource "terraform_data" "group" {
  triggers_replace = terraform_data.image.output

  lifecycle {
    create_before_destroy = true
  }
}

resource "terraform_data" "server" {
  triggers_replace = terraform_data.group.id
}

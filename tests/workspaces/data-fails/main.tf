data "local_file" "missing" {
  filename = "${path.module}/missing.txt"
}

resource "terraform_data" "independent" {
  input = "x"
}

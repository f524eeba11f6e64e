data "local_file" "bad" {
  filename = "${path.module}/given.txt"

  lifecycle {
    postcondition {
      condition     = self.content == "other"
      error_message = "The file says something else."
    }
  }
}

resource "terraform_data" "independent" {
  input = "x"
}

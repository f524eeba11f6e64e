resource "terraform_data" "source" {
  input = "x"
}

resource "terraform_data" "triggered" {
  lifecycle {
    replace_triggered_by = [terraform_data.source]
  }
}

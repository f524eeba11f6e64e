resource "terraform_data" "source" {
  input = "y"
}

resource "terraform_data" "triggered" {
  lifecycle {
    replace_triggered_by = [terraform_data.source]
  }
}

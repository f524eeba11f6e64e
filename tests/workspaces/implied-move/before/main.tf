resource "terraform_data" "gains_count" {
  input = "same"
}

resource "terraform_data" "loses_count" {
  count = 1
  input = "same"
}

resource "terraform_data" "gains_count" {
  count = 2
  input = "same"
}

resource "terraform_data" "loses_count" {
  input = "same"
}

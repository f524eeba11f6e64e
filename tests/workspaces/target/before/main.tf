resource "terraform_data" "a" {
  input = "old"
}

resource "terraform_data" "c" {
  count = 3
  input = "old"
}

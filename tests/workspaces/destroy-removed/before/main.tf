resource "terraform_data" "kept" {
  input = 1
}

resource "terraform_data" "gone" {
  count = 2
  input = count.index
}

resource "terraform_data" "comes_out" {
  input = "out"
}

resource "terraform_data" "old_name" {
  input = "renamed"
}

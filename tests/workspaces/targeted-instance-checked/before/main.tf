resource "terraform_data" "each" {
  count = 2
  input = "old"
}

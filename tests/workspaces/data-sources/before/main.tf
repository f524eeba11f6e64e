resource "terraform_data" "old" {
  input = "old"
}

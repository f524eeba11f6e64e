resource "terraform_data" "taken_in" {
  input = "in"
}

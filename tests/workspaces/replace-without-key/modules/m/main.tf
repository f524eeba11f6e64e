resource "terraform_data" "a" {
  for_each = toset(["k"])
  input    = 1
}

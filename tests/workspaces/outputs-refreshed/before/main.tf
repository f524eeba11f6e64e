resource "terraform_data" "a" {
  input = 1
}

output "gone" {
  value = 1
}

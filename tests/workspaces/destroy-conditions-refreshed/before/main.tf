resource "terraform_data" "a" {
  input = 1
}

output "old" {
  value = terraform_data.a.output
}

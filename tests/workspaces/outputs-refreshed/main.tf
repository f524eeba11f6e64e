resource "terraform_data" "a" {
  input = 1
}

resource "terraform_data" "b" {
}

output "unknown" {
  value = terraform_data.b.id
}

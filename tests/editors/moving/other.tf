output "shared" {
  value = terraform_data.shared.id
}

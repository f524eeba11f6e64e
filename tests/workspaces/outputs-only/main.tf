resource "terraform_data" "a" {
  input = "a"
}

output "changes" {
  value = [null, "2"]
}

output "stays" {
  value = terraform_data.a.output
}

output "part" {
  value = { name = "constant", id = terraform_data.a.id }.name
}

resource "terraform_data" "a" {
  input = "a"
}

output "changes" {
  value = 1
}

output "stays" {
  value = terraform_data.a.output
}

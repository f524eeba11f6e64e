resource "terraform_data" "base" {
  input = "two"
}

resource "terraform_data" "dependent" {
  input = terraform_data.base.output
}

resource "terraform_data" "apart" {
  input = "two"
}

output "dependent" {
  value = terraform_data.dependent.output
}

output "apart" {
  value = terraform_data.apart.output
}

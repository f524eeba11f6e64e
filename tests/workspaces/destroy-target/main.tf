resource "terraform_data" "a" {
  input = "x"
}

resource "terraform_data" "b" {
  count = 2
  input = terraform_data.a.output
}

resource "random_pet" "p" {
  keepers = { b = terraform_data.b[0].id }
}

output "a" {
  value = terraform_data.a.output
}

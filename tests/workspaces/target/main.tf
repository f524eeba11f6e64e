resource "terraform_data" "a" {
  input = "new"
}

resource "terraform_data" "b" {
  input = terraform_data.a.output
}

resource "terraform_data" "c" {
  count = 3
  input = "new"
}

resource "terraform_data" "d" {
  input = terraform_data.b.output
}

output "a" {
  value = terraform_data.a.input
}

output "d" {
  value = terraform_data.d.input
}

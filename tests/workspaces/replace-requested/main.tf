resource "terraform_data" "a" {
  count = 2
  input = "x"
}

resource "terraform_data" "b" {
  input = terraform_data.a[0].id
}

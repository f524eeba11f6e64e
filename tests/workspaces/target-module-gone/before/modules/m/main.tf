resource "terraform_data" "part" {
  count = 2
}

resource "terraform_data" "user" {
  input = terraform_data.part[0].id
}

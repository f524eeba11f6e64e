resource "terraform_data" "a" {
  count = 2
  input = count.index + 1
}

resource "terraform_data" "b" {
  input = terraform_data.a[0].id
}

resource "terraform_data" "c" {
  input = terraform_data.a[1].id
}

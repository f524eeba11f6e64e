resource "terraform_data" "base" {
  input = "one"
}

resource "terraform_data" "dependent" {
  input = terraform_data.base.output
}

resource "terraform_data" "apart" {
  input = "one"
}

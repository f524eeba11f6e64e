# rename b
resource "terraform_data" "$0a" {
  input = "x"
}

resource "terraform_data" "b" {
  input = "y"
}
#=
refused: terraform_data.b already exists.

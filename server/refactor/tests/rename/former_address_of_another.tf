# rename a
resource "terraform_data" "$0x" {
  input = "x"
}

resource "terraform_data" "b" {
  input = "b"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}
#=
refused: terraform_data.a is a former address of terraform_data.b, as a moved block in main.tf says. Remove that block first.

# rename b
resource "terraform_data" "z" {
  input = "x"
}

moved {
  from = terraform_data.$0y
  to   = terraform_data.z
}
#=
refused: Nothing here can be renamed.

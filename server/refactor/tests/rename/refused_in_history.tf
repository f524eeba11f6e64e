# rename b
resource "terraform_data" "z" {
  input = "x"
}

moved {
  from = terraform_data.$0y
  to   = terraform_data.z
}
#=
refused: There is no name here that can be changed.

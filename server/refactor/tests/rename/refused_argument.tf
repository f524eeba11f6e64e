# rename b
resource "terraform_data" "a" {
  $0input = "x"
}
#=
refused: There is no name here that can be changed.

# rename b
resource "terraform_data" "a" {
  $0input = "x"
}
#=
refused: Nothing here can be renamed.

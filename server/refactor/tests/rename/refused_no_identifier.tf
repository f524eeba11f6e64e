# rename 1b
resource "terraform_data" "$0a" {
  input = "x"
}
#=
refused: "1b" is not a name. A name starts with a letter or underscore and may contain only letters, digits, underscores, and dashes.

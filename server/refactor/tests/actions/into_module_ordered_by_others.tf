# do Move terraform_data.a into a new module
resource "terraform_data" "$0a" {
  input      = "x"
  depends_on = [terraform_data.b]
}

resource "terraform_data" "b" {
  input = "y"
}
#=
refused: terraform_data.a has a depends_on or replace_triggered_by that names an object outside the module.

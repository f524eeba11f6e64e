# rename c
resource "terraform_data" "x" {
  for_each = toset(["$0a", "c"])
  input    = "x"
}
#=
refused: terraform_data.x["c"] already exists.

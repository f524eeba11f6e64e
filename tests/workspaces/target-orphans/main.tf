resource "terraform_data" "counted" {
  count = 1
  input = "x"
}

resource "terraform_data" "keyed" {
  for_each = toset(["c"])
}

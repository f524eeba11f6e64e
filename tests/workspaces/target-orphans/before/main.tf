resource "terraform_data" "counted" {
  count = 3
}

resource "terraform_data" "keyed" {
  for_each = toset(["a", "b"])
}

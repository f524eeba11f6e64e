resource "terraform_data" "keyed" {
  for_each = toset(["west"])
  input    = each.key
}

resource "terraform_data" "counted" {
  count = 1
  input = count.index
}

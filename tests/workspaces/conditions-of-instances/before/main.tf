resource "terraform_data" "listed" {
  count = 2
  input = "before-${count.index}"
}

resource "terraform_data" "named" {
  for_each = { a = "one", b = "two" }
  input    = each.value
}

resource "terraform_data" "to_index" {
  input = 1
}

resource "terraform_data" "to_key" {
  input = 2
}

resource "terraform_data" "between" {
  count = 2
  input = count.index
}

resource "terraform_data" "to_none" {
  for_each = toset(["only", "other"])
  input    = each.key
}

resource "terraform_data" "told_otherwise" {
  input = 5
}

resource "terraform_data" "shifted" {
  count = 3
  input = count.index
}

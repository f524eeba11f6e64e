moved {
  from = terraform_data.to_index
  to   = terraform_data.to_index[1]
}

moved {
  from = terraform_data.to_key
  to   = terraform_data.to_key["a b\"c"]
}

moved {
  from = terraform_data.between[0]
  to   = terraform_data.between["zero"]
}

moved {
  from = terraform_data.between[1]
  to   = terraform_data.between["one"]
}

moved {
  from = terraform_data.to_none["only"]
  to   = terraform_data.to_none
}

# Without this the first instance would take over.
moved {
  from = terraform_data.told_otherwise
  to   = terraform_data.told_otherwise[2]
}

moved {
  from = terraform_data.shifted[2]
  to   = terraform_data.last
}

resource "terraform_data" "to_index" {
  count = 2
  input = 1
}

resource "terraform_data" "to_key" {
  for_each = toset(["a b\"c"])
  input    = 2
}

resource "terraform_data" "between" {
  for_each = { zero = 0, one = 10 }
  input    = each.value
}

resource "terraform_data" "to_none" {
  input = "only"
}

resource "terraform_data" "told_otherwise" {
  count = 3
  input = 5
}

resource "terraform_data" "shifted" {
  count = 1
  input = count.index
}

resource "terraform_data" "last" {
  input = 2
}

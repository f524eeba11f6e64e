resource "terraform_data" "grows" {
  count = 1
  input = "item ${count.index}"
}

resource "terraform_data" "shrinks" {
  count = 3
  input = "item ${count.index}"
}

resource "terraform_data" "shifts" {
  count = 3
  input = ["a", "b", "c"][count.index]
}

resource "terraform_data" "none" {
  count = 2
}

resource "terraform_data" "keys" {
  for_each = { a = "1", b = "2" }
  input    = "${each.key}=${each.value}"
}

resource "terraform_data" "set" {
  for_each = toset(["x", "y"])
  input    = each.value
}

resource "terraform_data" "odd" {
  for_each = toset(["with \"quotes\"", "ünï", "a/b"])
  input    = each.key
}

resource "random_integer" "many" {
  for_each = { for n in [1, 2, 3] : "n${n}" => n }
  min      = 1
  max      = 10
  seed     = each.key
  keepers  = { value = each.value }
}

output "inputs" {
  value = { for key, item in terraform_data.keys : key => item.input }
}

output "all" {
  value = terraform_data.shrinks[*].input
}

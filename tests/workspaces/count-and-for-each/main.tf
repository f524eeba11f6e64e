resource "terraform_data" "grows" {
  count = 3
  input = "item ${count.index}"
}

resource "terraform_data" "shrinks" {
  count = 1
  input = "item ${count.index}"
}

resource "terraform_data" "shifts" {
  count = 3
  input = ["b", "c", "d"][count.index]
}

resource "terraform_data" "none" {
  count = 0
}

resource "terraform_data" "keys" {
  for_each = { b = "3", c = "4" }
  input    = "${each.key}=${each.value}"
}

resource "terraform_data" "set" {
  for_each = toset(["y", "z"])
  input    = each.value
}

resource "terraform_data" "odd" {
  for_each = toset(["with \"quotes\"", "ünï", "a/b"])
  input    = each.key
}

resource "random_integer" "many" {
  for_each = { for n in [2, 3, 4] : "n${n}" => n }
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

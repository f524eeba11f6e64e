resource "terraform_data" "keyed" {
  for_each = toset(["east", "west"])
  input    = each.key
}

resource "terraform_data" "counted" {
  count = 3
  input = count.index
}

resource "terraform_data" "none" {
  count = 2
}

resource "terraform_data" "single" {
}

output "keys" {
  value = keys(terraform_data.keyed)
}

output "counted" {
  value = terraform_data.counted[*].output
}

output "none" {
  value = length(terraform_data.none)
}

output "east" {
  value = try(terraform_data.keyed["east"].output, "absent")
}

output "single" {
  value = terraform_data.single.id
}

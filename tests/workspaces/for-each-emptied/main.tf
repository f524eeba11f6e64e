resource "terraform_data" "source" {
  for_each = toset([])
  input    = each.key
}

resource "terraform_data" "copy" {
  for_each = terraform_data.source
  input    = each.value.output
}

output "copies" {
  value = { for key, copy in terraform_data.copy : key => copy.input }
}

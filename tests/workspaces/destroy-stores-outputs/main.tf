# The refresh before the destruction stores the outputs as the configuration has them now.
output "changed" {
  value = "new"
}

output "secret" {
  value     = "same"
  sensitive = true
}

output "shown" {
  value = "same"
}

output "unknown" {
  value = terraform_data.missing.id
}

output "added" {
  value     = { word = "s" }
  sensitive = true
}

resource "terraform_data" "missing" {}

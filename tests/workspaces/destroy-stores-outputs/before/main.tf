output "changed" {
  value = "old"
}

output "secret" {
  value = "same"
}

output "shown" {
  value     = "same"
  sensitive = true
}

output "gone" {
  value = "gone"
}

output "unknown" {
  value = "known"
}

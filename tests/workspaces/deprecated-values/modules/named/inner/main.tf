variable "text" {
  type = string
}

output "old" {
  value      = var.text
  deprecated = "Use text."
}

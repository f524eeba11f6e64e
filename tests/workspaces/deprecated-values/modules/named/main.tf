variable "text" {
  type = string
}

output "old" {
  value      = module.inner.old
  deprecated = "Use new."
}

output "new" {
  value = var.text
}

module "inner" {
  source = "./inner"
  text   = var.text
}

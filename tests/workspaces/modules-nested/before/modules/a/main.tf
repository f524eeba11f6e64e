variable "word" {}

locals {
  upper = upper(var.word)
}

module "b" {
  source = "../b"
  word   = local.upper
}

output "word" {
  value = "${module.b.word}!"
}

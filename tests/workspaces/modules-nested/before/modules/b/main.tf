variable "word" {}

module "c" {
  source = "../b/c"
  words  = [var.word, path.module]
}

resource "terraform_data" "b" {
  input = module.c.joined
}

output "word" {
  value = module.c.joined
}

module "a" {
  source = "./modules/a"
  word   = "deeper"
}

output "word" {
  value = module.a.word
}

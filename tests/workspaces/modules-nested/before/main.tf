module "a" {
  source = "./modules/a"
  word   = "deep"
}

output "word" {
  value = module.a.word
}

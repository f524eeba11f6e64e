module "named" {
  source = "./modules/named"
  text   = "t"
}

output "old" {
  value = "${module.named.old}-x"
}

output "new" {
  value = module.named.new
}

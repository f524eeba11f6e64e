# do Inline module.one
module "$0one" {
  source = "./one"
}

output "all" {
  value = module.one
}
#- /one/main.tf
output "x" {
  value = 1
}
#=
refused: module.one is used as a whole.

# rename identity
module "child" {
  for_each = toset(["k"])
  source   = "./child"
}

output "id" {
  value = [module.child["k"].$0id, [for c in module.child : c.id]]
}
#- /child/main.tf
output "id" {
  value = "x"
}
#=
no changes to infrastructure
#- /child/main.tf
output "identity" {
  value = "x"
}
#- /main.tf
# rename identity
module "child" {
  for_each = toset(["k"])
  source   = "./child"
}

output "id" {
  value = [module.child["k"].identity, [for c in module.child : c.identity]]
}

# rename identity
module "child" {
  for_each = toset(["k"])
  source   = "./child"
}

module "single" {
  source = "./child"
}

locals {
  keys   = toset(["k"])
  splat  = module.single[*].$0id
  values = values(module.child)[*].id
  first  = values(module.child)[0].id
  loop   = { for key, one in module.child : key => one.id if one.id != "" }
  keyed  = [for key in local.keys : module.child[key].id]
  other  = [for one in [{ id = "mine" }] : one.id]
  shadow = [for one in module.child : [for one in [{ id = "mine" }] : one.id]]
  text   = "%{for one in module.child}${one.id}%{endfor}"
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

module "single" {
  source = "./child"
}

locals {
  keys   = toset(["k"])
  splat  = module.single[*].identity
  values = values(module.child)[*].identity
  first  = values(module.child)[0].identity
  loop   = { for key, one in module.child : key => one.identity if one.identity != "" }
  keyed  = [for key in local.keys : module.child[key].identity]
  other  = [for one in [{ id = "mine" }] : one.id]
  shadow = [for one in module.child : [for one in [{ id = "mine" }] : one.id]]
  text   = "%{for one in module.child}${one.identity}%{endfor}"
}

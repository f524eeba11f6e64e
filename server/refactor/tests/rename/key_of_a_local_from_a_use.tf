# rename tiny
locals {
  sizes = { big = { x = 3 }, "small" = 2 }
}

output "all" {
  value = [local.sizes["$0small"], local.sizes.big.x]
}
#=
no changes to infrastructure
#- /main.tf
# rename tiny
locals {
  sizes = { big = { x = 3 }, "tiny" = 2 }
}

output "all" {
  value = [local.sizes["tiny"], local.sizes.big.x]
}

# rename tiny
locals {
  sizes = { $0big = 3 }
}

output "all" {
  value = keys(local.sizes)
}
#=
refused: local.sizes is used as a whole.

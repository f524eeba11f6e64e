# rename small
locals {
  sizes = { $0big = 3, small = 2 }
}
#=
refused: local.sizes.small already exists.

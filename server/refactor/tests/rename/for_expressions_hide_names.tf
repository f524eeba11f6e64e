# rename other
locals {
  $0item = "x"
  all    = [for local in ["a"] : local]
  used   = { for k, v in { a = local.item } : k => v if v != local.item }
}
#=
no changes to infrastructure
#- /main.tf
# rename other
locals {
  other = "x"
  all    = [for local in ["a"] : local]
  used   = { for k, v in { a = local.other } : k => v if v != local.other }
}

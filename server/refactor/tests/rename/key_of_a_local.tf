# rename large
locals {
  sizes = {
    $0big   = 3 # the big one
    "small" = local.other.big
  }
  other = { big = 1 }
}

resource "terraform_data" "a" {
  input = "${local.sizes.big}-${local.sizes["big"]}-${local.sizes [ "small" ]}"
}
#- state terraform_data.a
3-3-1
#=
no changes to infrastructure
#- /main.tf
# rename large
locals {
  sizes = {
    large   = 3 # the big one
    "small" = local.other.big
  }
  other = { big = 1 }
}

resource "terraform_data" "a" {
  input = "${local.sizes.large}-${local.sizes["large"]}-${local.sizes [ "small" ]}"
}

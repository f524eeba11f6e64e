# do Move the block to other.tf
locals {
  a = 1
}

resource "terraform_data" "$0a" {
  input = "x"
}
#- /other.tf
# CRLF
locals {
  b = 1
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# do Move the block to other.tf␍
locals {␍
  a = 1␍
}␍
#- /other.tf
# CRLF␍
locals {␍
  b = 1␍
}␍
␍
resource "terraform_data" "a" {␍
  input = "x"␍
}␍

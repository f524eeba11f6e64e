# rename c
resource "terraform_data" "$0b" { input = "x" } # the end
moved {
  from = terraform_data.a
  to   = terraform_data.b
}
locals {}
#- /others.tf
moved {
  from = terraform_data.y
  to   = terraform_data.z
}

resource "terraform_data" "z" {}
#- state terraform_data.b
x
#=
no changes to infrastructure
#- /main.tf
# rename c
resource "terraform_data" "c" { input = "x" } # the end
moved {
  from = terraform_data.a
  to   = terraform_data.b
}

moved {
  from = terraform_data.b
  to   = terraform_data.c
}

locals {}

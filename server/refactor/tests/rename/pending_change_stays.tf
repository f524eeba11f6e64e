# rename b
resource "terraform_data" "$0a" {
  input            = "new"
  triggers_replace = "now"
}

resource "terraform_data" "gone" {
  count = 0
}
#- state terraform_data.a
old
#- state terraform_data.gone[0]
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input            = "new"
  triggers_replace = "now"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

resource "terraform_data" "gone" {
  count = 0
}

# do Add count to terraform_data.b
resource "terraform_data" "$0b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# do Add count to terraform_data.b
resource "terraform_data" "b" {
  count = 1

  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b[0]
}

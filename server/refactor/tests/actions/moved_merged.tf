# do Merge with the move to terraform_data.c, without terraform_data.b between
resource "terraform_data" "c" {
  input = "x"
}

$0moved {
  from = terraform_data.a
  to   = terraform_data.b
}

# the second
moved {
  from = terraform_data.b
  to   = terraform_data.c
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# do Merge with the move to terraform_data.c, without terraform_data.b between
resource "terraform_data" "c" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.c
}

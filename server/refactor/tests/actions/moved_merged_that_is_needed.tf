# do Merge with the move to terraform_data.c, without terraform_data.b between
resource "terraform_data" "c" {
  input = "x"
}

$0moved {
  from = terraform_data.a
  to   = terraform_data.b
}

moved {
  from = terraform_data.b
  to   = terraform_data.c
}
#- state terraform_data.b
x
#=
1 to add, 1 to destroy
  terraform_data.b would be destroyed
  terraform_data.c would be created
#- /main.tf
# do Merge with the move to terraform_data.c, without terraform_data.b between
resource "terraform_data" "c" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.c
}

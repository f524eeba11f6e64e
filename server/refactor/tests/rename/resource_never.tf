# rename b never
resource "terraform_data" "$0a" {
  input = "x"
}
#- state terraform_data.a
x
#=
1 to add, 1 to destroy
  terraform_data.a would be destroyed
  terraform_data.b would be created
#- /main.tf
# rename b never
resource "terraform_data" "b" {
  input = "x"
}

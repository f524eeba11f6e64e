# rename b
resource "terraform_data" "$0a" {
  input = "x"
}

resource "terraform_data" "z" {
  input = "z"
}

moved {
  from = terraform_data.y
  to   = terraform_data.z
}

# After it.
locals {}
#- state terraform_data.a
x
#- state terraform_data.z
z
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

resource "terraform_data" "z" {
  input = "z"
}

moved {
  from = terraform_data.y
  to   = terraform_data.z
}

# After it.
locals {}

# rename b CRLF
resource "terraform_data" "$0a" {
  input = "x"
}

moved {
  from = terraform_data.y
  to   = terraform_data.z
}

output "id" {
  value = terraform_data.a.id
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename b CRLF␍
resource "terraform_data" "b" {␍
  input = "x"␍
}␍
␍
moved {␍
  from = terraform_data.y␍
  to   = terraform_data.z␍
}␍
␍
moved {␍
  from = terraform_data.a␍
  to   = terraform_data.b␍
}␍
␍
output "id" {␍
  value = terraform_data.b.id␍
}␍

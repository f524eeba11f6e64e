# rename b
resource "terraform_data" "$0a" {
  input = "x"
}

resource "terraform_data" "user" {
  input = terraform_data.a.output
}

output "id" {
  value      = "${terraform_data.a.id}-${upper(terraform_data.a.output)}"
  depends_on = [terraform_data.a]
}
#- state terraform_data.a
x
#- state terraform_data.user
x
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

resource "terraform_data" "user" {
  input = terraform_data.b.output
}

output "id" {
  value      = "${terraform_data.b.id}-${upper(terraform_data.b.output)}"
  depends_on = [terraform_data.b]
}

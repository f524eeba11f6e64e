# rename b
resource /* kind */ "terraform_data" /* type */ "$0a" /* name */ { # open
  input = "x"
}

output "id" {
  value = (
    terraform_data # the type
    . a            # the name
    .id
  )
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# rename b
resource /* kind */ "terraform_data" /* type */ "b" /* name */ { # open
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

output "id" {
  value = (
    terraform_data # the type
    . b            # the name
    .id
  )
}

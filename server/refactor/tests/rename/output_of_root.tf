# rename identity
output "$0id" {
  value = "x"
}
#- /tests/a.tftest.hcl
run "first" {}

run "second" {
  assert {
    condition     = output.id == run.first.id
    error_message = "id"
  }
}
#=
no changes to infrastructure
#- /main.tf
# rename identity
output "identity" {
  value = "x"
}
#- /tests/a.tftest.hcl
run "first" {}

run "second" {
  assert {
    condition     = output.identity == run.first.identity
    error_message = "id"
  }
}

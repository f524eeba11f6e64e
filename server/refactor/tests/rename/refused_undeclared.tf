# rename b
output "a" {
  value = terraform_data.$0missing.id
}
#=
refused: terraform_data.missing is not declared in this workspace.

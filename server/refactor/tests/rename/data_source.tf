# rename other
data "terraform_remote_state" "$0a" {
  backend = "local"
  config  = { path = "x.tfstate" }
}

output "a" {
  value = data.terraform_remote_state.a.outputs
}

resource "terraform_data" "a" {
  input = "x"
}
#=
no changes in what could be planned (data.terraform_remote_state.other: data.terraform_remote_state.other is not read: its values are unknown in this plan)
#- /main.tf
# rename other
data "terraform_remote_state" "other" {
  backend = "local"
  config  = { path = "x.tfstate" }
}

output "a" {
  value = data.terraform_remote_state.other.outputs
}

resource "terraform_data" "a" {
  input = "x"
}

# rename latest
check "c" {
  data "terraform_remote_state" "$0x" {
    backend = "local"
    config  = { path = "x.tfstate" }
  }

  assert {
    condition     = data.terraform_remote_state.x.outputs != null
    error_message = "No ${data.terraform_remote_state.x.outputs}"
  }
}
#=
no changes in what could be planned (data.terraform_remote_state.latest: data.terraform_remote_state.latest is not read: its values are unknown in this plan)
#- /main.tf
# rename latest
check "c" {
  data "terraform_remote_state" "latest" {
    backend = "local"
    config  = { path = "x.tfstate" }
  }

  assert {
    condition     = data.terraform_remote_state.latest.outputs != null
    error_message = "No ${data.terraform_remote_state.latest.outputs}"
  }
}

# do Replace terraform_data.a with a removed block that keeps its objects
resource "terraform_data" "$0a" {
  input = "x"
}

output "id" {
  value = terraform_data.a.id
}
#- state terraform_data.a
x
#=
the plan would fail: Reference to undeclared resource
  terraform_data.a would be forgotten
  Reference to undeclared resource
#- /main.tf
# do Replace terraform_data.a with a removed block that keeps its objects
removed {
  from = terraform_data.a

  lifecycle {
    destroy = false
  }
}

output "id" {
  value = terraform_data.a.id
}

# do Add for_each to terraform_data.a
resource "terraform_data" "$0a" {
  input = <<-EOT
    # not a comment
    x
  EOT
}

output "id" {
  value = [terraform_data.a.id, terraform_data.a]
}
#- state terraform_data.a
# not a comment
#=
no changes to infrastructure
#- /main.tf
# do Add for_each to terraform_data.a
resource "terraform_data" "a" {
  for_each = toset(["a"])

  input = <<-EOT
    # not a comment
    x
  EOT
}

moved {
  from = terraform_data.a
  to   = terraform_data.a["a"]
}

output "id" {
  value = [terraform_data.a["a"].id, terraform_data.a["a"]]
}

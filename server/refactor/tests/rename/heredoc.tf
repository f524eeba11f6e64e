# rename b
resource "terraform_data" "$0a" {
  input = "x"
}

output "text" {
  value = <<-EOT
    id: ${terraform_data.a.id}
    %{if terraform_data.a.output == "x"}terraform_data.a%{endif}
  EOT
}
#- state terraform_data.a
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

output "text" {
  value = <<-EOT
    id: ${terraform_data.b.id}
    %{if terraform_data.b.output == "x"}terraform_data.a%{endif}
  EOT
}

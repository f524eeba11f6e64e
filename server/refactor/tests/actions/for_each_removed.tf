# do Remove for_each from terraform_data.a
resource "terraform_data" "a" {
  $0for_each = { main = "x" }
  input    = "${each.key}-${each.value}"
}

output "ids" {
  value = concat([terraform_data.a["main"].id], values(terraform_data.a)[*].id)
}

output "keys" {
  value = keys(terraform_data.a)
}
#- state terraform_data.a["main"]
main-x
#=
no changes to infrastructure
#- /main.tf
# do Remove for_each from terraform_data.a
resource "terraform_data" "a" {
  input = "main-x"
}

moved {
  from = terraform_data.a["main"]
  to   = terraform_data.a
}

output "ids" {
  value = concat([terraform_data.a.id], values({ "main" = terraform_data.a })[*].id)
}

output "keys" {
  value = keys({ "main" = terraform_data.a })
}

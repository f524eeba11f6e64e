variable "name" {
  type    = string
  default = "web"
}
resource "terraform_data" "site" {
  count = 1
  input = var.name
}
output "name" {
  value = try(terraform_data.site[0].input, var.name)
}
output "name_as_given" {
  value = var.name
}
output "id" {
  value = one(terraform_data.site[*].id)
}

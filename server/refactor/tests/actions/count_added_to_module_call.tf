# do Add count to module.one
module "$0one" { source = "./one" }

output "id" {
  value = module.one.id
}
#- /one/main.tf
resource "terraform_data" "a" {
  input = "x"
}

output "id" {
  value = terraform_data.a.id
}
#- state module.one.terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf
# do Add count to module.one
module "one" {
  count = 1

  source = "./one"
}

moved {
  from = module.one
  to   = module.one[0]
}

output "id" {
  value = module.one[0].id
}

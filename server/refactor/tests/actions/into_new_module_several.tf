# do Move 3 resources into a new module
resource "terraform_data" "$0a" {
  for_each = toset(["x", "y"])
  input    = each.key
}

resource "terraform_data" "b" {
  count      = 2
  input      = terraform_data.a["x"].input
  depends_on = [terraform_data.a]
}

data "terraform_remote_state" "c" {
  backend = "local"
  config  = { path = "x" }
}
# END

output "all" {
  value = [for one in terraform_data.a : one.id]
}

output "some" {
  value = "${terraform_data.a["x"].id} ${terraform_data.b[0].id}"
}
#- state terraform_data.a["x"]
x
#- state terraform_data.a["y"]
y
#- state terraform_data.b[0]
x
#- state terraform_data.b[1]
x
#=
no changes in what could be planned (module.a.data.terraform_remote_state.c: module.a.data.terraform_remote_state.c is not read: its values are unknown in this plan)
#- /main.tf
module "a" {
  source = "./modules/a"
}

moved {
  from = terraform_data.a
  to   = module.a.terraform_data.a
}

moved {
  from = terraform_data.b
  to   = module.a.terraform_data.b
}

# END

output "all" {
  value = [for one in module.a.a : one.id]
}

output "some" {
  value = "${module.a.a["x"].id} ${module.a.b[0].id}"
}
#- /modules/a/main.tf
# do Move 3 resources into a new module
resource "terraform_data" "a" {
  for_each = toset(["x", "y"])
  input    = each.key
}

resource "terraform_data" "b" {
  count      = 2
  input      = terraform_data.a["x"].input
  depends_on = [terraform_data.a]
}

data "terraform_remote_state" "c" {
  backend = "local"
  config  = { path = "x" }
}
#- /modules/a/outputs.tf
output "a" {
  value = terraform_data.a
}

output "b" {
  value = terraform_data.b
}

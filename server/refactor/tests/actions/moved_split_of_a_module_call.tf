# do Split into a moved block for each instance
module "b" {
  source = "./b"
  count  = 2
}

$0moved {
  from = module.a
  to   = module.b
}
#- /b/main.tf
resource "terraform_data" "x" {
  input = "x"
}
#- state module.a[0].terraform_data.x
x
#- state module.a[1].terraform_data.x
x
#=
no changes to infrastructure
#- /main.tf
# do Split into a moved block for each instance
module "b" {
  source = "./b"
  count  = 2
}

moved {
  from = module.a[0]
  to   = module.b[0]
}

moved {
  from = module.a[1]
  to   = module.b[1]
}

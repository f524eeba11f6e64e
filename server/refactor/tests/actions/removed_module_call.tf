# do Replace module.one with a removed block that keeps its objects
module "$0one" {
  source = "./one"
}
#- /one/main.tf
resource "terraform_data" "a" {
  input = "x"
}
#- state module.one.terraform_data.a
x
#=
1 to forget
  module.one.terraform_data.a would be forgotten
#- /main.tf
# do Replace module.one with a removed block that keeps its objects
removed {
  from = module.one

  lifecycle {
    destroy = false
  }
}

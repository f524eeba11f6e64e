# do Move terraform_data.a into module.one
resource "terraform_data" "$0a" {
  input = "x"
}

module "one" {
  source = "./one"
}

module "two" {
  source = "./one"
}
#- /one/main.tf
#=
refused: module.one is called several times, so its resources would exist several times.

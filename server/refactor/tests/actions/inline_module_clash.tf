# do Inline module.one
module "$0one" {
  source = "./one"
}

resource "terraform_data" "a" {
}
#- /one/main.tf
resource "terraform_data" "a" {
}
#=
refused: terraform_data.a already exists.

# do Replace terraform_data.a with a removed block that keeps its objects
# About a.
resource "terraform_data" "$0a" {
  count = 2
  input = "x"
}

resource "terraform_data" "b" {
  input = "y"
}
#- state terraform_data.a[0]
x
#- state terraform_data.a[1]
x
#- state terraform_data.b
y
#=
2 to forget
  terraform_data.a[0] would be forgotten
  terraform_data.a[1] would be forgotten
#- /main.tf
# do Replace terraform_data.a with a removed block that keeps its objects
# About a.
removed {
  from = terraform_data.a

  lifecycle {
    destroy = false
  }
}

resource "terraform_data" "b" {
  input = "y"
}

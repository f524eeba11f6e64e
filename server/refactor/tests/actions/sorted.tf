# do Sort and group the blocks of the file

# A detached comment.

output "z" {
  value = terraform_data.b.id
}

# About b.
resource "terraform_data" "$0b" {
  input = "x"
}

output "a" {
  value = 1
}
variable "v" { default = 1 }
resource "terraform_data" "a" {
  input = "x"
}

terraform {
  required_version = ">= 1.0"
}

# The end.
#- state terraform_data.a
x
#- state terraform_data.b
x
#=
no changes to infrastructure
#- /main.tf
# do Sort and group the blocks of the file

# A detached comment.

terraform {
  required_version = ">= 1.0"
}

variable "v" { default = 1 }

# About b.
resource "terraform_data" "b" {
  input = "x"
}

resource "terraform_data" "a" {
  input = "x"
}

output "a" {
  value = 1
}

output "z" {
  value = terraform_data.b.id
}

# The end.

# do Move the block to variables.tf
variable "a" {}

# Comment of b.
variable "$0b" {
  default = <<-EOT
    text
  EOT
}

# Behind.
#- /terraform.tfvars
a = 1
#=
no changes to infrastructure
#- /main.tf
# do Move the block to variables.tf
variable "a" {}

# Behind.
#- /variables.tf
# Comment of b.
variable "b" {
  default = <<-EOT
    text
  EOT
}

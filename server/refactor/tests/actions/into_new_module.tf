# do Move terraform_data.a into a new module
variable "size" {
  type        = number
  description = "How much."
}

locals {
  tags = { team = "x" }
}

resource "terraform_data" "first" {
  input = "y"
}

# About a.
// And more.
resource "terraform_data" "$0a" {
  # what it is
  input = [var.size, local.tags, terraform_data.first.output, "${path.module}/x"]

  lifecycle {
    precondition {
      condition     = var.size < 3
      error_message = "too much: ${var.size}"
    }
  }
}

output "id" {
  value = terraform_data.a.id
}

output "both" {
  value      = { id = terraform_data.a.id, all = terraform_data.a }
  depends_on = [terraform_data.a]
}
#- /terraform.tfvars
size = 2
#- state terraform_data.first
y
#=
no changes to infrastructure
#- /main.tf
# do Move terraform_data.a into a new module
variable "size" {
  type        = number
  description = "How much."
}

locals {
  tags = { team = "x" }
}

resource "terraform_data" "first" {
  input = "y"
}

module "a" {
  source       = "./modules/a"
  size         = var.size
  tags         = local.tags
  first_output = terraform_data.first.output
  path_module  = path.module
}

output "id" {
  value = module.a.a_id
}

output "both" {
  value      = { id = module.a.a_id, all = module.a.a }
  depends_on = [module.a]
}
#- /modules/a/main.tf
# About a.
// And more.
resource "terraform_data" "a" {
  # what it is
  input = [var.size, var.tags, var.first_output, "${var.path_module}/x"]

  lifecycle {
    precondition {
      condition     = var.size < 3
      error_message = "too much: ${var.size}"
    }
  }
}
#- /modules/a/outputs.tf
output "a_id" {
  value = terraform_data.a.id
}

output "a" {
  value = terraform_data.a
}
#- /modules/a/variables.tf
variable "size" {
  type = number
}

variable "tags" {
  type = any
}

variable "first_output" {
  type = string
}

variable "path_module" {
  type = string
}

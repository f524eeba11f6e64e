# do Inline module.one
locals {
  name = "ours"
}

# The one module.
module "$0one" {
  source = "./one"
  name   = local.name
  size   = 5
  tags   = { a = "x" }
  names  = ["b", "a"]
}

output "all" {
  value = [module.one.id, "${module.one.name}-${module.one.id}", module.one.sum * 2]
}
#- /one/main.tf
locals {
  # a name
  name = "theirs"
  full = "${var.name}/${local.name}/${var.size}/${path.module}"
}

# About a.
resource "terraform_data" "a" {
  input = [local.full, var.tags.a, var.with_default, path.module]
}

resource "terraform_data" "each" {
  for_each = var.names
  input    = each.key
}

module "two" {
  source = "../two"
  from   = terraform_data.a.id
}
#- /one/interface.tf
variable "name" {
  type = string
}

variable "size" {
  type = string
}

variable "tags" {
  type = map(string)
}

variable "names" {
  type = set(string)
}

variable "with_default" {
  default = true
}

output "id" {
  value = terraform_data.a.id
}

output "name" {
  value = var.name
}

output "sum" {
  value = var.size + 1
}
#- /two/main.tf
variable "from" {}

resource "terraform_data" "b" {
  count = 2
  input = "x"
}
#- state module.one.terraform_data.each["a"]
a
#- state module.one.terraform_data.each["b"]
b
#- state module.one.module.two.terraform_data.b[0]
x
#- state module.one.module.two.terraform_data.b[1]
x
#=
no changes to infrastructure
#- /main.tf
# do Inline module.one
locals {
  name = "ours"
}

# The one module.
locals {
  one_size  = tostring(5)
  one_tags  = tomap({ a = "x" })
  one_names = toset(["b", "a"])
}

locals {
  # a name
  one_name = "theirs"
  full     = "${local.name}/${local.one_name}/${local.one_size}/${path.module}/one"
}

# About a.
resource "terraform_data" "a" {
  input = [local.full, local.one_tags.a, true, "${path.module}/one"]
}

resource "terraform_data" "each" {
  for_each = local.one_names
  input    = each.key
}

module "two" {
  source = "./two"
  from   = terraform_data.a.id
}

moved {
  from = module.one.terraform_data.each
  to   = terraform_data.each
}

moved {
  from = module.one.module.two
  to   = module.two
}

output "all" {
  value = [terraform_data.a.id, "${local.name}-${terraform_data.a.id}", (local.one_size + 1) * 2]
}

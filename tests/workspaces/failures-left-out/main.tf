variable "v" {
  default = 3
  validation {
    condition     = var.v > 5
    error_message = "v too small"
  }
}
resource "terraform_data" "of_variable" {
  input = var.v
}
resource "terraform_data" "broken" {
  for_each = toset(["a", "b"])
  input    = each.key
  lifecycle {
    precondition {
      condition     = each.key == "a"
      error_message = "not a"
    }
  }
}
resource "terraform_data" "dependent" {
  input = terraform_data.broken["a"].input
  lifecycle {
    precondition {
      condition     = terraform_data.known.input == "y"
      error_message = "would be told"
    }
  }
}
locals {
  l = tonumber(terraform_data.broken["a"].input)
  n = tonumber(local.m)
  m = terraform_data.known.input
}
resource "terraform_data" "of_local" {
  input = local.n
}
resource "terraform_data" "known" {
  input = "x"
}
resource "terraform_data" "apart" {
  input = terraform_data.known.input
}
output "o" {
  value = terraform_data.broken["a"].input
}
output "fine" {
  value = terraform_data.known.input
}
output "of_local" {
  value = local.n
}
check "c" {
  assert {
    condition     = terraform_data.broken["a"].input == "b"
    error_message = "checked"
  }
}
module "m" {
  source = "./modules/m"
  x      = terraform_data.broken["a"].input
}
module "n" {
  source     = "./modules/m"
  x          = "y"
  depends_on = [terraform_data.broken]
}
module "o" {
  source = "./modules/m"
  x      = "y"
}
resource "terraform_data" "of_module" {
  input = module.m.z
}

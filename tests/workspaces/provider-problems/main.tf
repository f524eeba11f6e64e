terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_checked" "refused" {
  for_each = toset(["error", "fine"])
  planned  = each.key
}

resource "lab6_checked" "warned" {
  count   = 1
  planned = "warning"
}

resource "lab6_checked" "large" {
  count = 1
  even  = 2000
}

module "m" {
  source = "./modules/m"
  count  = 1
}

resource "terraform_data" "independent" {
  input = "x"
}

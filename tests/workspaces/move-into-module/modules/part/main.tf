# For both instances.
moved {
  from = terraform_data.old_name
  to   = terraform_data.new_name["k"]
}

resource "terraform_data" "new_name" {
  for_each = toset(["k"])
  input    = "renamed"
}

resource "terraform_data" "taken_in" {
  input = "one"
}

module "inner" {
  source = "./inner"
}

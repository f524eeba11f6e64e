resource "terraform_data" "list" {
  count = 2
  input = count.index
}

module "inner" {
  source = "./inner"
}

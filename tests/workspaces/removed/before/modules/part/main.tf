resource "terraform_data" "inner" {
  input = "inner"
}

module "deeper" {
  source = "./deeper"
}

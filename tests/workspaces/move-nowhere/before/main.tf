resource "terraform_data" "gone" {
  input = 1
}

resource "terraform_data" "list" {
  count = 2
  input = count.index
}

module "part" {
  source = "./modules/part"
}

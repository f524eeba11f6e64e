resource "terraform_data" "forgotten" {
  input = "kept in the world"
}

resource "terraform_data" "destroyed" {
  count = 2
  input = count.index
}

resource "terraform_data" "by_default" {
  for_each         = toset(["x"])
  input            = each.key
  triggers_replace = ["a", "b"]
}

resource "terraform_data" "stays" {
  input = 1
}

module "forgotten" {
  source = "./modules/part"
  count  = 2
}

module "partly" {
  source = "./modules/part"
}

module "silently" {
  source = "./modules/part"
}

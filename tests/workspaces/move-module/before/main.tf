module "old" {
  source = "./modules/part"
}

module "gains_count" {
  source = "./modules/part"
}

module "renamed_with_keys" {
  source   = "./modules/part"
  for_each = toset(["a", "b"])
}

# No block says so: a module keeps nothing.
module "gains_count_silently" {
  source = "./modules/part"
}

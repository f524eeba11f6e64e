module "part" {
  source = "./modules/part"
  keys   = ["a"]
}

resource "random_pet" "name" {
}

module "lists" {
  source = "./modules/lists"
  names  = [random_pet.name.id, "known"]
}

module "unknown" {
  for_each = toset([random_pet.name.id])
  source   = "./modules/lists"
  names    = [each.key]
}

resource "terraform_data" "apart" {
  input = "apart"
}

output "count" {
  value = module.lists.count
}

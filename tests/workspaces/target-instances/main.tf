module "net" {
  source   = "./modules/net"
  for_each = { a = "5", b = "2" }
  name     = each.value
}

resource "terraform_data" "part" {
  for_each = { x = "6", y = "7" }
  input    = each.value
}

output "nets" {
  value = { for key, net in module.net : key => net.id }
}

output "parts" {
  value = { for key, part in terraform_data.part : key => part.output }
}

variable "hosts" {
  type = list(string)
}

module "host" {
  count  = length(var.hosts)
  source = "../host"
  name   = var.hosts[count.index]
}

output "total" {
  value = length(module.host)
}

output "hosts" {
  value = module.host[*].name
}

output "ids" {
  value = module.host[*].id
}

resource "lab6_service" "a" {
  logging { format = "${local.format} from native" }
}

output "a" {
  value = lab6_service.a.port
}

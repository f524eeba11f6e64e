resource "terraform_data" "network" {
  input = "n"
}

resource "terraform_data" "server" {
  input = terraform_data.network.output

  lifecycle {
    prevent_destroy = true
  }
}

resource "terraform_data" "record" {
  input = terraform_data.server.output
}

output "server" {
  value = terraform_data.server.id
}

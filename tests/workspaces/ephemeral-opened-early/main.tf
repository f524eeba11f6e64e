# Terraform opens it although its dependency is created later.
terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "later" {}

ephemeral "lab6_session" "login" {
  name       = "x"
  depends_on = [terraform_data.later]
}

resource "lab6_secret" "db" {
  write_only = ephemeral.lab6_session.login.token
}

output "is_null" {
  value = nonsensitive(ephemeralasnull(ephemeral.lab6_session.login.token)) == null
}

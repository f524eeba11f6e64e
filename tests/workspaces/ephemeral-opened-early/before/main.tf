terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

ephemeral "lab6_session" "login" {
  name = "x"
}

output "is_null" {
  value = nonsensitive(ephemeralasnull(ephemeral.lab6_session.login.token)) == null
}

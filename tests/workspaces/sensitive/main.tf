terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

variable "password" {
  type      = string
  sensitive = true
  default   = "MARKER-SECRET-second-password"
}

variable "login" {
  type      = object({ user = string, key = string })
  sensitive = true
  default   = { user = "MARKER-SECRET-user", key = "MARKER-SECRET-key" }
}

resource "lab6_secret" "schema" {
  name     = "schema"
  password = "MARKER-SECRET-schema-changed"
  login    = { user = "user", key = "MARKER-SECRET-login-key" }
}

resource "lab6_secret" "pin" {
  pin = "MARKER-SECRET-pin-2"
}

resource "lab6_secret" "marked" {
  name     = var.password
  password = var.password
}

resource "lab6_secret" "write_only" {
  write_only       = "MARKER-SECRET-write-only-2"
  write_only_count = 2
}

resource "terraform_data" "deep" {
  input = { open = "visible", hidden = [var.login.user, "visible"], map = { key = var.login.key } }
}

resource "terraform_data" "revealed" {
  input = "MARKER-SECRET-revealed"
}

resource "terraform_data" "covered" {
  input = sensitive("MARKER-SECRET-covered")
}

resource "terraform_data" "derived" {
  input            = "user: ${length(var.login.user)} letters"
  triggers_replace = var.password
}

resource "lab6_server" "tagged" {
  name = "tagged"
  tags = { user = var.login.user, open = "changed" }
}

resource "lab6_cluster" "rules" {
  name  = "rules"
  rules = [{ port = 80, secret = "MARKER-SECRET-rule" }, { port = 81 }]
}

resource "lab5_instance" "legacy" {
  name     = "legacy"
  password = "MARKER-SECRET-legacy-2"
  tags     = { key = var.login.key }
}

output "password" {
  value     = var.password
  sensitive = true
}

output "derived" {
  value     = lab6_secret.schema
  sensitive = true
}

output "length" {
  value = nonsensitive(length(var.password))
}

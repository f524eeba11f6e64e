terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "name" {
  name = "one"
  size = 1
  tags = { a = "b" }
}

resource "lab6_server" "shrinks" {
  name = "shrinks"
  size = 2
}

resource "lab6_server" "region" {
  name   = "region"
  region = "eu-1"
}

resource "lab6_server" "region_unset" {
  name   = "region_unset"
  region = "eu-1"
}

resource "lab6_server" "enabled" {
  name    = "enabled"
  enabled = true
}

resource "lab6_server" "zones" {
  name  = "zones"
  zones = ["a", "b"]
}

resource "lab6_server" "several" {
  name  = "several"
  size  = 3
  zones = ["a"]
}

resource "lab6_server" "by_unknown" {
  name = "known"
}

resource "terraform_data" "uses" {
  input = lab6_server.name.id
}

resource "local_file" "content" {
  filename = "content.txt"
  content  = "one"
}

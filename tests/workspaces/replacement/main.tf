terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "name" {
  name = "two"
  size = 1
  tags = { a = "b" }
}

resource "lab6_server" "shrinks" {
  name = "shrinks"
  size = 1
}

resource "lab6_server" "region" {
  name   = "region"
  region = "eu-2"
}

resource "lab6_server" "region_unset" {
  name   = "region_unset"
}

resource "lab6_server" "enabled" {
  name    = "enabled"
  enabled = false
}

resource "lab6_server" "zones" {
  name  = "zones"
  zones = ["b", "a"]
}

resource "lab6_server" "several" {
  name  = "several-2"
  size  = 1
  zones = null
}

resource "lab6_server" "by_unknown" {
  name = lab6_server.name.id
}

resource "terraform_data" "uses" {
  input = lab6_server.name.id
}

resource "local_file" "content" {
  filename = "content.txt"
  content  = "two"
}

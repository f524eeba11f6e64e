terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "known" {
  name = "known"
  size = 1
}

resource "lab6_server" "new" {
  name = "new"
}

resource "random_pet" "new" {
  count = 2
}

locals {
  address   = lab6_server.new.address
  url       = "https://${local.address}/path"
  endpoints = [for port in [80, 443] : { port = port, url = "${local.url}:${port}" }]
  by_port   = { for endpoint in local.endpoints : endpoint.port => endpoint.url }
  chosen    = local.address == "here" ? "yes" : "no"
  same      = local.address == "here" ? "always" : "always"
  pets      = random_pet.new[*].id
  first     = try(local.pets[0], "none")
}

resource "terraform_data" "consumer" {
  input = lab6_server.known.address
}

resource "terraform_data" "whole" {
  input = local.address
}

resource "terraform_data" "parts" {
  input = {
    url       = local.url
    endpoints = local.endpoints
    by_port   = local.by_port
    chosen    = local.chosen
    same      = local.same
    pets      = local.pets
    first     = local.first
    joined    = join(",", local.pets)
    length    = length(local.pets)
    upper     = upper(local.address)
    set       = toset(local.pets)
    keys      = keys(local.by_port)
    json      = jsonencode({ address = local.address })
    merged    = merge({ a = 1 }, { b = local.address })
    splat     = random_pet.new[*].length
    object    = random_pet.new[0]
    negated   = local.address != ""
    known     = "constant"
  }
}

resource "lab6_cluster" "nested" {
  name    = "nested"
  network = { cidr = local.address }
  nodes   = [{ name = local.address }, { name = "known" }]
  rules   = [{ port = 80, protocol = local.address }, { port = 81 }]
  pools   = { a = { size = length(local.address) } }
}

resource "lab6_service" "blocks" {
  name = local.url
  port {
    number   = 80
    protocol = local.address
  }
  volume { path = local.address }
  volume { path = "/known" }
}

resource "lab6_document" "content" {
  content = lab6_server.new.id
}

output "address" {
  value = lab6_server.known.address
}

output "url" {
  value = local.url
}

output "endpoints" {
  value = local.endpoints
}

output "object" {
  value = { known = 1, unknown = local.address, list = [local.address, "x"] }
}

output "server" {
  value = lab6_server.new
}

terraform {
  required_providers {
    random = {
      source = "hashicorp/random"
    }
  }
}

variable "id" {
  default = "by-variable"
}

locals {
  ids = { x = "id-x", y = "id-y" }
}

import {
  to = terraform_data.updated
  id = "some-id"
}

import {
  to = terraform_data.same
  id = var.id
}

import {
  for_each = local.ids
  to       = terraform_data.each[each.key]
  id       = each.value
}

import {
  for_each = ["first", "second"]
  to       = terraform_data.list[each.key]
  id       = "${each.value}-${terraform.workspace}"
}

import {
  to = random_integer.same
  id = "5,1,10"
}

import {
  to = random_integer.replaced
  id = "5,1,11,seed"
}

import {
  to = random_string.s
  id = "abcdefgh"
}

resource "terraform_data" "updated" {
  input = random_integer.same.result
}

resource "terraform_data" "same" {
}

resource "terraform_data" "each" {
  for_each = toset(["x", "y", "z"])
  input    = each.key
}

resource "terraform_data" "list" {
  count = 2
}

resource "random_integer" "same" {
  min = 1
  max = 10
}

resource "random_integer" "replaced" {
  min = 1
  max = 10
}

resource "random_string" "s" {
  length = 8
}

output "imported" {
  value = terraform_data.same.id
}

variable "release" {
  type    = string
  default = "2"
}

locals {
  keepers = { release = var.release }
}

resource "random_pet" "name" {
  keepers = local.keepers
}

resource "random_id" "suffix" {
  byte_length = 2
  keepers     = local.keepers
}

resource "random_integer" "port" {
  min     = 1
  max     = 9
  seed    = "seed"
  keepers = local.keepers
}

resource "random_string" "word" {
  length  = 8
  keepers = { fixed = "yes" }
}

resource "random_uuid" "token" {
  keepers = { first = "a", second = "b" }
}

resource "random_shuffle" "zones" {
  input   = ["a", "b", "c"]
  seed    = "seed"
  keepers = local.keepers
}

resource "random_pet" "unkept" {
  keepers = local.keepers
}

resource "null_resource" "after" {
  triggers = {
    pet  = random_pet.name.id
    word = random_string.word.id
  }
}

output "name" {
  value = random_pet.name.id
}

terraform {
  required_providers {
    null = {
      source = "hashicorp/null"
    }
  }
}

resource "null_resource" "same" {
  triggers = {
    a = "b"
  }
}

resource "null_resource" "without_triggers" {
}

resource "null_resource" "edited" {
  triggers = {
    a = "b"
    c = "d"
  }
}

resource "null_resource" "many" {
  count = 2
}

resource "null_resource" "stays" {
}

terraform {
  required_providers {
    null = {
      source = "hashicorp/null"
    }
  }
}

moved {
  from = null_resource.same
  to   = terraform_data.same
}

moved {
  from = null_resource.without_triggers
  to   = terraform_data.without_triggers
}

moved {
  from = null_resource.edited
  to   = terraform_data.edited
}

moved {
  from = null_resource.many
  to   = terraform_data.many
}

resource "terraform_data" "same" {
  triggers_replace = {
    a = "b"
  }
}

resource "terraform_data" "without_triggers" {
  input = "new"
}

resource "terraform_data" "edited" {
  triggers_replace = {
    a = "b"
    c = "changed"
  }
}

resource "terraform_data" "many" {
  count = 2
}

resource "null_resource" "stays" {
}

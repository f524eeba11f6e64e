terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

resource "terraform_data" "updated" {
  input = "before"
}

resource "terraform_data" "replaced" {
  triggers_replace = ["before"]
}

resource "terraform_data" "unchanged" {
  input = "same"
}

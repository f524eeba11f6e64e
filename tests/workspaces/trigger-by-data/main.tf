# The data source is read during apply. That is a change, but none that triggers a replacement.
terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "b" {
}

data "lab6_lookup" "d" {
  name = terraform_data.b.id
}

resource "terraform_data" "a" {
  lifecycle {
    replace_triggered_by = [data.lab6_lookup.d]
  }
}

terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

resource "terraform_data" "wanted" {
}

resource "lab6_checked" "unwanted" {
  even = 4
  old  = "deprecated"
}

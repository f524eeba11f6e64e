terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_note" "a" {
  text = "a"
}

check "found" {
  data "lab6_lookup" "it" {
    name = "something"
  }
  assert {
    condition     = data.lab6_lookup.it.region == "eu-1"
    error_message = "It is in ${data.lab6_lookup.it.region}."
  }
}

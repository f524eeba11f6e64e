terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "one" {
  input = "red"
}

check "holds" {
  assert {
    condition     = terraform_data.one.input == "red"
    error_message = "It is ${terraform_data.one.input}."
  }
}

check "does_not_hold" {
  assert {
    condition     = terraform_data.one.input != "red"
    error_message = "It is ${terraform_data.one.input}."
  }
  assert {
    condition     = length(terraform_data.one.input) == 3
    error_message = "It is long."
  }
}

check "is_not_known" {
  assert {
    condition     = terraform_data.one.id != ""
    error_message = "It has no ID."
  }
}

# Read now, and again by the apply.
check "reads" {
  data "lab6_lookup" "here" {
    name = "here"
  }

  assert {
    condition     = data.lab6_lookup.here.id == "found"
    error_message = "${data.lab6_lookup.here.id} was found."
  }
}

# What can't be read is no error.
check "reads_nothing" {
  data "lab6_lookup" "nothing" {
    name = "nothing"
  }

  assert {
    condition     = data.lab6_lookup.nothing.id == "found"
    error_message = "It is another."
  }
}

check "reads_later" {
  data "lab6_lookup" "later" {
    name = terraform_data.one.id
  }

  assert {
    condition     = data.lab6_lookup.later.region == "eu-1"
    error_message = "It is elsewhere."
  }
}

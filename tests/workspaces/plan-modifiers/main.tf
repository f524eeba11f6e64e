# Plans that the provider itself changes, by ModifyPlan and by plan modifiers of nested computed attributes.

terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

resource "lab6_planned" "same" {
  a = 1
}

resource "lab6_planned" "sum" {
  a = 1
  b = 5
}

# Replaces because of ModifyPlan.
resource "lab6_planned" "mode" {
  a    = 1
  mode = "exclusive"
}

# The same attribute, in place.
resource "lab6_planned" "other_mode" {
  a    = 1
  mode = "open"
}

resource "lab6_planned" "addresses" {
  a         = 1
  addresses = [{ zone = "c" }, { ip = "10.0.0.2", zone = "b" }, { zone = "d" }]
}

resource "lab6_planned" "new" {
  a    = lab6_planned.sum.sum
  mode = "exclusive"
}

resource "lab6_volume" "resized" {
  name = "one"
  size = 2
}

resource "lab6_volume" "renamed" {
  name = "three"
}

output "sums" {
  value = [for each in [lab6_planned.sum, lab6_planned.new] : each.sum]
}

output "host" {
  value = lab6_planned.same.endpoint.host
}

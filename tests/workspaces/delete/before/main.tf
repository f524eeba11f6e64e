terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "random_integer" "kept" {
  min  = 1
  max  = 9
  seed = "seed"
}

resource "random_integer" "gone" {
  min  = 1
  max  = 9
  seed = "other"
}

resource "terraform_data" "gone" {
  count = 2
  input = random_integer.gone.result
}

resource "lab6_server" "gone" {
  for_each = { a = 1, "b c" = 2 }
  name     = each.key
  size     = each.value
}

resource "lab6_secret" "gone" {
  password = "MARKER-SECRET-deleted-password"
}

resource "lab5_instance" "gone" {
  name = "gone"
  disk { size = 1 }
}

output "gone" {
  value = random_integer.gone.result
}

output "kept" {
  value = random_integer.kept.result
}

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

output "kept" {
  value = random_integer.kept.result
}

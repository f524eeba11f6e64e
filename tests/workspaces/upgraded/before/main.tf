terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_upgraded" "same" {
  label = "same"
  size  = "10GB"
}

resource "lab6_upgraded" "changed" {
  label = "changed"
  size  = "10GB"
}

resource "lab6_upgraded" "replaced" {
  label = "replaced"
}

resource "lab6_upgraded" "gone" {
  label = "gone"
}

resource "lab5_upgraded" "same" {
  label = "same"
  size  = "10GB"
}

resource "lab5_upgraded" "replaced" {
  label = "replaced"
}

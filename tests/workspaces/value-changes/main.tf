terraform {
  required_providers {
    lab5 = { source = "planlens/lab5" }
    lab6 = { source = "planlens/lab6" }
  }
}

# Which of each pair of values below.
variable "v" {
  type    = number
  default = 1
}

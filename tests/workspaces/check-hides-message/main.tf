variable "p" {
  type      = string
  sensitive = true
  default   = "a"
}

check "c" {
  assert {
    condition     = var.p == "b"
    error_message = "is ${var.p}"
  }
}

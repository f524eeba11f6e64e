resource "terraform_data" "inner" {
  input = "inner"
}

removed {
  from = module.deeper

  lifecycle {
    destroy = false
  }
}

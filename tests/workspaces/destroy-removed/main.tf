resource "terraform_data" "kept" {
  input = 1
}

removed {
  from = terraform_data.gone
  lifecycle {
    destroy = false
  }
}

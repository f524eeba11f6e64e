moved {
  from = terraform_data.inner
  to   = terraform_data.core
}

resource "terraform_data" "core" {
  input = "inner"
}

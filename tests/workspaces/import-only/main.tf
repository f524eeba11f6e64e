import {
  to = terraform_data.only
  id = "the-id"
}

resource "terraform_data" "only" {
}

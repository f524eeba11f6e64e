variable "none" {
  type    = string
  default = null
}

module "child" {
  source = "./modules/child"
}

resource "terraform_data" "unexplained" {
  input = 1

  lifecycle {
    precondition {
      condition     = var.none == null
      error_message = var.none
    }
  }
}

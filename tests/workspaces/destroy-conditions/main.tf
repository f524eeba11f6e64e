resource "terraform_data" "a" {
  input = 1

  lifecycle {
    postcondition {
      condition     = self.output == 2
      error_message = "Not two."
    }
  }
}

output "old" {
  value = terraform_data.a.output

  precondition {
    condition     = terraform_data.a.output == 2
    error_message = "Not two."
  }
}

output "new" {
  value = terraform_data.a.id
}

module "m" {
  source = "./modules/m"
}

variable "number" {
  default = 1

  validation {
    condition     = var.number == 2
    error_message = "Not two."
  }
}

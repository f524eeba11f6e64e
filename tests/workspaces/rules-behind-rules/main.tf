variable "environment" {
  type    = string
  default = "staging"
  validation {
    condition     = contains(["dev", "prod"], var.environment)
    error_message = "Must be dev or prod."
  }
}
variable "size" {
  type    = number
  default = 1
  validation {
    condition     = var.environment != "prod" || var.size >= 2
    error_message = "Production needs 2."
  }
}
resource "terraform_data" "site" {
  input = "${var.environment}-${var.size}"
}

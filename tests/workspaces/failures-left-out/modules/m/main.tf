variable "x" {}
resource "terraform_data" "t" {
  input = var.x
}
resource "terraform_data" "own" {
}
output "y" {
  value = var.x
}
output "z" {
  value = 1
}

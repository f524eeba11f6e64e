variable "settings" {
  type = object({
    image    = string
    replicas = optional(number, 1)
    ports = optional(list(object({
      number = number
    })), [])
  })
}
resource "terraform_data" "app" {
  input = var.settings
}

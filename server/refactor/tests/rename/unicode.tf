# rename größe
variable "$0länge" {
  default = "ä"
}

output "ö" {
  value = "äöü ${var.länge} 👍 ${var.länge}"
}
#=
no changes to infrastructure
#- /main.tf
# rename größe
variable "größe" {
  default = "ä"
}

output "ö" {
  value = "äöü ${var.größe} 👍 ${var.größe}"
}

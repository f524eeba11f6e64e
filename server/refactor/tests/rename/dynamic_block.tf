# rename places
variable "$0zones" {
  type    = list(string)
  default = ["a"]
}

resource "terraform_data" "a" {
  input = "x"

  dynamic "provisioner" {
    for_each = var.zones
    labels   = ["local-exec"]
    content {
      command = "echo ${provisioner.value} ${length(var.zones)}"
    }
  }
}
#=
no changes to infrastructure
#- /main.tf
# rename places
variable "places" {
  type    = list(string)
  default = ["a"]
}

resource "terraform_data" "a" {
  input = "x"

  dynamic "provisioner" {
    for_each = var.places
    labels   = ["local-exec"]
    content {
      command = "echo ${provisioner.value} ${length(var.places)}"
    }
  }
}

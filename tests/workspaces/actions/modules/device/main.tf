terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

variable "number" {
  type = number
}

resource "terraform_data" "device" {
  input = "device ${var.number}"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.lab6_restart.device]
    }
  }
}

action "lab6_restart" "device" {
  config {
    target = terraform_data.device.output
    delay  = var.number
  }
}

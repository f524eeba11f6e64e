terraform {
  required_providers {
    lab6 = {
      source = "planlens/lab6"
    }
  }
}

variable "secret" {
  type      = string
  default   = "s3cret"
  sensitive = true
}

variable "is_watched" {
  type    = bool
  default = false
}

resource "terraform_data" "updated" {
  input = "after"

  lifecycle {
    action_trigger {
      events  = [before_create, after_create]
      actions = [action.lab6_ping.lab]
    }
    action_trigger {
      events  = [before_update, after_update]
      actions = [action.lab6_ping.lab, action.lab6_restart.each["b"]]
    }
    action_trigger {
      events    = [after_update]
      condition = var.is_watched
      actions   = [action.lab6_restart.late]
    }
  }
}

resource "terraform_data" "replaced" {
  triggers_replace = ["after"]

  lifecycle {
    create_before_destroy = true
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.lab6_restart.whole]
    }
  }
}

resource "terraform_data" "unchanged" {
  input = "same"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.lab6_ping.lab]
    }
  }
}

resource "terraform_data" "counted" {
  count = 3
  input = count.index

  lifecycle {
    action_trigger {
      events    = [after_create]
      condition = count.index != 1
      actions   = [action.lab6_restart.counted[count.index]]
    }
  }
}

action "lab6_ping" "lab" {}

action "lab6_restart" "whole" {
  config {
    target = terraform_data.replaced.id
    delay  = 4000
    labels = {
      secret = var.secret
      "a b"  = "c"
      null   = null
    }
    step {
      command = "stop"
    }
    step {
      command = "start ${terraform_data.replaced.id}"
    }
  }
}

action "lab6_restart" "each" {
  for_each = toset(["a", "b"])
  config {
    target = each.key
    delay  = length(each.value)
  }
}

action "lab6_restart" "counted" {
  count = 3
  config {
    target = terraform_data.counted[count.index].output
  }
}

action "lab6_restart" "late" {
  config {
    target = "late"
    delay  = -1
  }
}

module "devices" {
  source   = "./modules/device"
  for_each = { one = 1, two = 2 }
  number   = each.value
}

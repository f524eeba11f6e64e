resource "terraform_data" "text" {
  input            = "same"
  triggers_replace = "one"
}

resource "terraform_data" "list" {
  triggers_replace = ["a", 1]
}

resource "terraform_data" "object" {
  input            = "one"
  triggers_replace = { a = 1, b = "x" }
}

resource "terraform_data" "shape" {
  triggers_replace = ["a"]
}

resource "terraform_data" "unset" {
  triggers_replace = "set"
}

resource "terraform_data" "dependent" {
  triggers_replace = [terraform_data.text.id]
}

resource "null_resource" "step" {
  triggers = { a = "1" }
}

resource "time_static" "start" {
  rfc3339  = "2026-01-02T03:04:05Z"
  triggers = { a = "1" }
}

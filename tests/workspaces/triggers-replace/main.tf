resource "terraform_data" "text" {
  input            = "same"
  triggers_replace = "two"
}

resource "terraform_data" "list" {
  triggers_replace = ["a", 2]
}

resource "terraform_data" "object" {
  input            = "two"
  triggers_replace = { a = 2, b = "x" }
}

resource "terraform_data" "shape" {
  triggers_replace = tolist(["a"])
}

resource "terraform_data" "unset" {
}

resource "terraform_data" "dependent" {
  triggers_replace = [terraform_data.text.id]
}

resource "null_resource" "step" {
  triggers = { a = "2" }
}

resource "time_static" "start" {
  rfc3339  = "2026-01-02T03:04:05Z"
  triggers = { a = "2" }
}

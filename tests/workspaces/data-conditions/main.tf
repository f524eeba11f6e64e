data "local_file" "good" {
  filename = "${path.module}/given.txt"

  lifecycle {
    postcondition {
      condition     = self.content != ""
      error_message = "The file is empty."
    }
  }
}

resource "terraform_data" "before" {
  input = "x"
}

# With conditions, everything that it depends on counts.
data "local_file" "waits" {
  filename = local.name

  lifecycle {
    precondition {
      condition     = local.name != ""
      error_message = "No name."
    }
  }
}

locals {
  name = "${path.module}/given.txt${terraform_data.before.input == "x" ? "" : "!"}"
}

output "good" {
  value = data.local_file.good.content
}

locals {
  changing = terraform_data.old.input
}

resource "terraform_data" "old" {
  input = "new"
}

# Read at once.
data "local_file" "now" {
  filename = "${path.module}/given.txt"
}

# Its configuration is not known.
data "local_file" "unknown" {
  filename = terraform_data.old.output
}

# Refers to what will change, though its value is known.
data "local_file" "pending" {
  filename = "${path.module}/given.txt${terraform_data.old.input == "new" ? "" : "!"}"
}

# The same through a local value is no reason to wait.
data "local_file" "through_local" {
  filename = "${path.module}/given.txt${local.changing == "new" ? "" : "!"}"
}

data "local_file" "waits" {
  filename   = "${path.module}/given.txt"
  depends_on = [terraform_data.old]
}

data "local_file" "each" {
  for_each = toset(["given.txt", "other.txt"])
  filename = "${path.module}/${each.key}"
}

resource "terraform_data" "uses" {
  input = {
    now     = data.local_file.now.content
    through = data.local_file.through_local.content_md5
    waits   = data.local_file.waits.content
    each    = [for file in data.local_file.each : length(file.content) > 0]
  }
}

output "now" {
  value = data.local_file.now.content
}

output "later" {
  value = data.local_file.pending.content
}

resource "terraform_data" "same" {
  input = "given.txt"
}

resource "terraform_data" "changes" {
  input = "old"
}

resource "terraform_data" "replaced" {
  input            = "x"
  triggers_replace = "old"
}

# Refers to objects that would not change.
data "local_file" "now" {
  filename = "${path.module}/${terraform_data.same.input}"
}

# Their configuration is not applied before they are destroyed.
data "local_file" "pending" {
  filename   = "${path.module}/given.txt"
  depends_on = [terraform_data.changes]
}

data "local_file" "behind_replacement" {
  filename   = "${path.module}/given.txt"
  depends_on = [terraform_data.replaced]
}

data "local_file" "each" {
  for_each = toset(["given.txt", "other.txt"])
  filename = "${path.module}/${each.key}"
}

resource "terraform_data" "uses" {
  input = {
    now     = data.local_file.now.content
    pending = data.local_file.pending.content
    each    = { for key, it in data.local_file.each : key => it.content }
  }
}

output "now" {
  value = data.local_file.now.content
}

output "behind_replacement" {
  value = data.local_file.behind_replacement.content
}

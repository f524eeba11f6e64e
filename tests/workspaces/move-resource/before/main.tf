resource "terraform_data" "plain" {
  input = "same"
}

resource "terraform_data" "counted" {
  count = 2
  input = "number ${count.index}"
}

resource "terraform_data" "each" {
  for_each = toset(["x", "y"])
  input    = each.key
}

resource "terraform_data" "edited" {
  input = "before"
}

resource "terraform_data" "replaced" {
  triggers_replace = "before"
}

resource "terraform_data" "reader" {
  input = terraform_data.plain.output
}

moved {
  from = terraform_data.plain
  to   = terraform_data.renamed
}

moved {
  from = terraform_data.counted
  to   = terraform_data.count_renamed
}

moved {
  from = terraform_data.each
  to   = terraform_data.each_renamed
}

moved {
  from = terraform_data.edited
  to   = terraform_data.moved_and_edited
}

moved {
  from = terraform_data.replaced
  to   = terraform_data.moved_and_replaced
}

# Nothing is there to move.
moved {
  from = terraform_data.never
  to   = terraform_data.reader
}

resource "terraform_data" "renamed" {
  input = "same"
}

resource "terraform_data" "count_renamed" {
  count = 3
  input = "number ${count.index}"
}

resource "terraform_data" "each_renamed" {
  for_each = toset(["y", "z"])
  input    = each.key
}

resource "terraform_data" "moved_and_edited" {
  input = "after"
}

resource "terraform_data" "moved_and_replaced" {
  triggers_replace = "after"
}

resource "terraform_data" "reader" {
  input = terraform_data.renamed.output
}

output "ids" {
  value = [terraform_data.renamed.id == terraform_data.moved_and_edited.id, terraform_data.count_renamed[*].output]
}

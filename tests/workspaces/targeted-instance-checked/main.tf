# Nothing is known of the conditions of an instance that is not planned.
resource "terraform_data" "each" {
  count = 2
  input = "new"

  lifecycle {
    precondition {
      condition     = path.root == "x" || count.index == 1
      error_message = "Index ${count.index}."
    }
  }
}

resource "terraform_data" "listed" {
  count = 2
  input = "after-${count.index}"

  lifecycle {
    precondition {
      condition     = count.index < 2
      error_message = "There is no instance ${count.index}."
    }
    postcondition {
      condition     = self.output != "nothing"
      error_message = "Instance ${count.index} came to ${self.output}."
    }
  }
}

resource "terraform_data" "named" {
  for_each = { a = "one", b = "two" }
  input    = each.value

  lifecycle {
    postcondition {
      condition     = self.input == each.value
      error_message = "${each.key} has ${self.input}."
    }
  }
}

resource "terraform_data" "a" {
  for_each = toset(["x"])
}

resource "terraform_data" "named" {
  for_each = toset(["x"])

  lifecycle {
    replace_triggered_by = [terraform_data.a[each.key]]
  }
}

resource "terraform_data" "calculated" {
  lifecycle {
    replace_triggered_by = [terraform_data.a[lower("X")].output]
  }
}

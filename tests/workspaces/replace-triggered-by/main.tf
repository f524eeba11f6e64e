terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "terraform_data" "release" {
  input = "2"
}

resource "terraform_data" "still" {
  input = "1"
}

resource "terraform_data" "counted" {
  count = 2
  input = count.index * 2
}

resource "terraform_data" "keyed" {
  for_each = { a = 1, b = 3 }
  input    = each.value
}

resource "lab6_server" "whole" {
  name = "whole"

  lifecycle {
    replace_triggered_by = [terraform_data.release]
  }
}

resource "lab6_server" "attribute" {
  name = "attribute"

  lifecycle {
    replace_triggered_by = [terraform_data.release.input]
  }
}

resource "lab6_server" "unchanged_attribute" {
  name = "unchanged"

  lifecycle {
    replace_triggered_by = [terraform_data.release.id]
  }
}

resource "lab6_server" "still" {
  name = "still"

  lifecycle {
    replace_triggered_by = [terraform_data.still]
  }
}

resource "lab6_server" "index" {
  count = 2
  name  = "index-${count.index}"

  lifecycle {
    replace_triggered_by = [terraform_data.counted[count.index]]
  }
}

resource "lab6_server" "key" {
  for_each = toset(["a", "b"])
  name     = "key-${each.key}"

  lifecycle {
    replace_triggered_by = [terraform_data.keyed[each.key].input]
  }
}

resource "lab6_server" "also_updated" {
  name = "also"
  size = 2

  lifecycle {
    replace_triggered_by = [terraform_data.release]
  }
}

resource "terraform_data" "chained" {
  lifecycle {
    replace_triggered_by = [lab6_server.whole]
  }
}

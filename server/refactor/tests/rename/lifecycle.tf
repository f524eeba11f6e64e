# rename b
resource "terraform_data" "$0a" {
  input = "x"
}

resource "terraform_data" "user" {
  input = "u"

  lifecycle {
    replace_triggered_by = [terraform_data.a, terraform_data.a.input]
    ignore_changes       = [input]

    precondition {
      condition     = terraform_data.a.output == "x"
      error_message = "Not ${terraform_data.a.output}"
    }
  }
  depends_on = [terraform_data.a]
}
#- state terraform_data.a
x
#- state terraform_data.user
u
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

resource "terraform_data" "user" {
  input = "u"

  lifecycle {
    replace_triggered_by = [terraform_data.b, terraform_data.b.input]
    ignore_changes       = [input]

    precondition {
      condition     = terraform_data.b.output == "x"
      error_message = "Not ${terraform_data.b.output}"
    }
  }
  depends_on = [terraform_data.b]
}

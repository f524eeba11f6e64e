# do Add count to terraform_data.a
resource "terraform_data" "$0a" {
  # about the input
  input = "x"
}

resource "terraform_data" "b" {
  input      = "y"
  depends_on = [terraform_data.a]

  lifecycle {
    replace_triggered_by = [terraform_data.a, terraform_data.a.input]
  }
}

output "one" {
  value = "${terraform_data.a.id}/${terraform_data.a.input}"
}

output "all" {
  value = terraform_data.a
}

output "splat" {
  value = terraform_data.a[*].id
}
#- state terraform_data.a
x
#- state terraform_data.b
y
#=
no changes to infrastructure
#- /main.tf
# do Add count to terraform_data.a
resource "terraform_data" "a" {
  count = 1

  # about the input
  input = "x"
}

moved {
  from = terraform_data.a
  to   = terraform_data.a[0]
}

resource "terraform_data" "b" {
  input      = "y"
  depends_on = [terraform_data.a]

  lifecycle {
    replace_triggered_by = [terraform_data.a, terraform_data.a[0].input]
  }
}

output "one" {
  value = "${terraform_data.a[0].id}/${terraform_data.a[0].input}"
}

output "all" {
  value = terraform_data.a[0]
}

output "splat" {
  value = terraform_data.a[0][*].id
}

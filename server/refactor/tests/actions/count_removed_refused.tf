# do Remove count from terraform_data.a
resource "terraform_data" "$0a" {
  count = 2
  input = "x"
}
#=
refused: terraform_data.a has 2 instances. Without count and for_each it would have only one.

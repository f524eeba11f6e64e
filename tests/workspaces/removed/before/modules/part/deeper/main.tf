resource "terraform_data" "deep" {
  input = sensitive("deep")
}

resource "random_id" "this" {
  byte_length = 4
}

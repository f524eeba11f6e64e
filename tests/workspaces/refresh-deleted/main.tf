resource "local_file" "a" {
  filename = "${path.module}/a.txt"
  content  = "one"
}

resource "local_file" "b" {
  filename = "${path.module}/b.txt"
  content  = local_file.a.id
}

output "id" {
  value = local_file.a.id
}

resource "local_file" "a" {
  filename = "${path.module}/a.txt"
  content  = "one"
}

resource "local_file" "b" {
  filename = "${path.module}/b.txt"
  content  = local_file.a.id
}

resource "local_file" "c" {
  filename = "${path.module}/c.txt"
  content  = "nobody refers to it"
}

resource "terraform_data" "d" {
  input = { text = local_file.b.content }
}

output "permission" {
  value = local_file.b.file_permission
}

variable "words" {
  type = list(string)
}

resource "terraform_data" "c" {
  input            = var.words
  triggers_replace = var.words[0]
}

resource "random_id" "new" {
  byte_length = 2
}

output "joined" {
  value = join("-", concat(var.words, [path.module]))
}

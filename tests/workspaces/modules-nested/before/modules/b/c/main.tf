variable "words" {
  type = list(string)
}

resource "terraform_data" "c" {
  input            = var.words
  triggers_replace = var.words[0]
}

output "joined" {
  value = join("-", concat(var.words, [path.module]))
}

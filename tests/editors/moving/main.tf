resource "terraform_data" "each" {
  count = 2

  input = "x${count.index}"
}

resource "terraform_data" "own" {
  input = "own"
}

resource "terraform_data" "shared" {
  input = "shared"
}

output "own" {
  value = terraform_data.own.id
}

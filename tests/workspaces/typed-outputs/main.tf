output "numbers" {
  type  = list(number)
  value = ["1", 2]
}

output "object" {
  type  = object({ name = string, size = optional(number, 3) })
  value = { name = "n", more = true }
}

resource "terraform_data" "made" {
  input = "i"
}

output "set" {
  type  = set(string)
  value = [terraform_data.made.id, "a"]
}

variable "a" {
  type = string
  default = "x"
}

locals {
  a = [1,
    2,
  ]
  b = <<-EOT
    one
    two
      three

    
    four
  EOT
  c = { x = 1
    y = 2 }
  # comment
  d = 1 // comment
  /* a
  b */ e = 2
}

output "x" {

  value = local.b

}

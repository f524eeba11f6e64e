# Windows line ends.
variable "region" {
  type        = string
  description = "The region"
}

/* block
   comment */
locals {
  list = [
    "a",
    "b", # comment
  ]
  object = {
    a = 1

    b = 2
  }
  heredoc = <<EOT
line one
  line two ${var.region}

$
$x
EOT
  flush = <<-EOT
    line one

      line two
    %{ if true ~}
    yes
    %{ endif ~}
  EOT
  call = join(
    ",",
    local.list
  )
  condition = (
    true
    ? 1
    : 2
  )
  template = "${
    var.region
  }"
}

resource "x" "y" {
  count = 2

  lifecycle {
    ignore_changes = [tags]
  }
}

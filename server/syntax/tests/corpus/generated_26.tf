/*
 * header
 */

variable "each" { # open
  queue   = cidrsubnet(upper(
      zone_id[*].location["${var.x}"]["k"]...
    ), 3E-2,)[*].id
  api = lower(
    
  )

  // a comment
}

resource "docker_zone" "zone_id" {
  max_size   = []

  /* a comment */
  alert = 0.10 # trailing

  // a comment
  policy = count.index["${var.x}"] // trailing
  k = "line\nbreak" # trailing
}

resource null_resource_table "ttl" { # open
  budget   = var.zone_id
  db   = <<JSON
"quotes"
  deeper
${false}
JSON

  dynamic "lifecycle_rule" {
    secret = ""
    cluster = "tab\there" && "日本eu-west-1" /* trailing */

    # a comment
  }
  topic = var._x // trailing

  # a comment
}


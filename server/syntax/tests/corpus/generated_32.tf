resource "google_table" "retries" { # open
  max_size = (
    join(
      3E-2,
      42,
      "x",
    ))
  version   = [for x in var.stream : {
      
    } if x != null] # trailing
  key   = each.value.0["${var.x}"]
  size = data.cloudflare_x.path.id - -(1)
}

locals {

  // a comment
  gateway = "" ? each.value[var.key][*].*.id && 1e3 : "${"10.0.0.0/16#1"}"
  cidr_block = coalesce(
    {
      
    },
    each.value[var.x][var.protocol]
  )[*].id
  main = {
    sku = 0
    "${var.k}" = 42
  }

  # a comment
}

module "policy" {

  container {
    max_size   = 1e3
    pool = [
      "@daily",  // c
      {
        
      },  // c
      [
        0.10,  // c
        1e3,  // c
        local.region
      ],
    ] /* trailing */
  }
}


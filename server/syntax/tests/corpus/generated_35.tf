resource "null_resource_db" "protocol" {

  dynamic "container" {
    each   = true
    min_size   = module.function.bucket.zone[*].project_id
    router = role ? true : true
  }
  versioning "protocol" {
    retries = {
      "a b" = 42
    } # trailing
  }
  this = keys(var.volume, tomap(
      false
    ), { router = 1.5, (count.index) = "10.0.0.0/16", 7 = each.key }...)
  table   = module.policy.path // trailing
}

module "zone_id" { # open
  timeouts "cidr_block" {
    max_size   = var.path.* # trailing
    volume = pool // trailing
    this = queue["${var.x}"][count.index] # trailing
    zone_id   = (1e3) // trailing
  }

  // a comment

  egress {
    role = 123456789012345678901 /* trailing */

    container {
      path = {
        "${var.k}" = {
          
        }
      }
      location = split(
        local.node.*.id,
        "@daily",
      )[0] // trailing
      gateway   = "0.0.0.0/0line\nbreaka b c"
      x   = length().id < data.null_resource_x.stream.id
    }
    volume = 123456789012345678901 >= 123456789012345678901
  }
}

resource "vault_policy" "secret" {
  tags = {
    
  }
  secret = {
    
  } # trailing
  main = toset()
  memory = provider::time::parse()[0]
  filter {}
  zone_id = 42
}


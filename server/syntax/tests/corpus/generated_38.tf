provider "enabled" { # open
  function = (concat(
      
    )[*].id) /* trailing */
}

resource "docker_key" "gateway" {
  cache = 42 // trailing
}

resource "kubernetes_zone" "stream" {
  bucket = null # trailing
  node = self.table

  dynamic "lifecycle_rule" {
    web = each.value.0
    role = {
      cert = { "x.y/z" = count.index.0, "x.y/z" = "$${HOME}$50.0.0.0/0", secret = "", min_size = protocol[count.index].0[count.index] } # note
      "k"={ for x in each.key[each.key]: google_app.enabled.cluster["${var.x}"]["${var.x}"].zone => null } # note
      region = cache.api[count.index][each.key] # note
      7 = "staging"
    } // trailing
  }
}

module "owner" { x = { 7 = "x" } }

// see above
resource "cloudflare_zone" "key" { # open
  cache = {
    cert = path
    7 = "x"
    (path.module[count.index][var.location].0) : module.name.protocol[each.key].*.name[*]
    timeout = self.x["k"]
  } != {
    7 = 123456789012345678901,
    (api["${var.x}"][each.key]) = null_resource_policy.protocol.a-b.policy
  }

  dynamic "rule" {

    dynamic header {}

    // a comment
    path = !count.index /* trailing */
    zone   = self.x < each.value[*]["${var.x}"].0
  }

  dynamic "filter" {}
  project_id = local.db
  this = "it's$${HOME}"
}

resource "random_key" "role" {

  # a comment
  timeout   = "%{ if true ~} a %{~ endif }&|^`" # trailing
  cidr_block = {
    7 = "x"
  }
}

resource "docker_key" "table" { # open
  worker   = _x[*].cert[*] % module.ttl.protocol["${var.x}"].budget // trailing
  alert   = -(count.index[each.key][*])
}

resource random_db "key" {
  env { # open

    header "description" { # open
      location = provider::time::parse({
          
        }, (
          false)).id
      sku = {  }
    }

    /* a comment */
  }
  condition {
    lifecycle_rule { x = each.key }
  }
  pool = "${false}"
  stream = "ünïstaging" ? "%{ if true ~} a %{~ endif }%%{x}${count.index~}" : [for k, v in module.zone_id.pool[var.x].subnet: local.image] // trailing
  budget = data.github_x.record.id.disk[*].subnet.main
}

output "queue" { x = ttl[var.api][*][0] }

locals { x = local.sku["k"] }

locals { # open
  min_size   = data.azurerm_x.max_size.id[0].policy
}

# what follows
provider "image" {
  image = 0
  network_interface "sku" {

    dynamic condition {}
    image = try() // trailing
  }
  zone   = path.module.*[*].sku[count.index] # trailing
}


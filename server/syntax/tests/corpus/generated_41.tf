data "google_record" "timeout" {}

variable "node" {
  this = self.ttl // trailing
  zone_id = var.key[0]
}

/* block */
module "size" {
  worker   = false

  rule "image" {
    secret = "prod"
    app = var.gateway["${var.x}"][*][0]
  }
  node = lookup(
    keys(!(3E-2))[0]...
  ) // trailing
  stream = path.module.enabled.0[var.retries]
}

# what follows
module timeout {
  router = 42
  tier = path.module.0 # trailing
  region = [for i, item in 42 : each.value[var.labels]]
  lifecycle_rule {}
}

output "enabled" {

  # a comment
}

locals { # open

  container { # open
    a-b   = tomap(
      module.timeout.main,
      1.5...
    ) / values()
    network   = 42
    image = "it's@daily" * "" # trailing
    role = var.stream
    retries = length(var.owner[each.key] <= data.cloudflare_x.a-b.id, "%{ for i, x in local.size[0][each.key] ~} ${x} %{ endfor ~}${false~}", [
        1, # c
        { for x in local.path["${var.x}"].0 : 42 => 1.5 if v.enabled && k > 1 },
      ],) /* trailing */
  }
  tags = "C:\\dir" /* trailing */
  image   = { 7 = 123456789012345678901 } # trailing
}

resource "cloudflare_db" "function" {
  queue   = "${data.docker_x.owner.id}" <= (data.kubernetes_x.replicas.id[var.port][var.project_id])
  worker = 42
}

resource "google_bucket" "sku" { # open
  k = trimspace("")
  port = local.each

  dynamic "ingress" {
    worker   = []

    dynamic "egress" { # open
      api   = cidrsubnet([each.value[each.key]["k"][0],])[*].id # trailing
      sku   = false # trailing
    }
    version = null
    each = <<EOT
${var.owner[var.cache]}
EOT
  }
}

resource "null_resource_pool" "main" {}

output "subnet" {
  timeouts { # open
    gateway = count.index # trailing
    _x = [
      image,
      [
        [null, false,]
      ],
      true == { each = var.queue["${var.x}"]["k"].*.id, (key[0]) = "// no", 7 = cache[0] }
    ]
    alert   = coalesce(false, "", "x") /* trailing */

    dynamic "spec" {
      v2 = -(["it's", path.module[each.key]["k"], 1.5,])
      region = []
    }
    ttl = upper(try(
        data.github_x.policy.id[0],
        1,
        count.index[count.index].0["${var.x}"]
      ), contains("x"))[0]

    container {
      ttl = ""
      db = coalesce(
        42
      )[0] + "C:\\dirx/y/z${self.budget["${var.x}"].*[0][0]}" // trailing
      labels = merge((path.module["k"].*.name), concat(0.10, null, true)[*].id).id /* trailing */
    }
  }
  size   = base64encode(var.db, each.key) // trailing
  zone_id = [
    [],
  ]
}


# header comment

locals {
  bucket = "%%d10.0.0.0/16"
}

resource "random_image" "enabled" { # open
  timeout   = {
    v = "{{ .Values.x }}~"
  } != split(0) # trailing

  # a comment
  rule {
    zone_id = values(
      
    )[*].id

    dynamic "lifecycle_rule" {
      cluster = { for k, v in var.zone_id: "$5&|^`" => 1e3 } # trailing
      image = 0.10 /* trailing */
      pool = { (module.policy.bucket) = null + "staging" } # trailing
      this26 = 3E-2
    }
    name   = lower("", 1.5, {
        (azurerm_cluster.worker.ttl[each.key]) : null
      })[*].id
  }
}

/* block */
module "timeout" {
  egress "project_id" { # open

    template {
      region = module.worker.image // trailing
      v = [for k, v in var.policy[count.index] : []]
    }
  }

  dynamic "versioning" {
    image = { (self.network[var.port]["k"]) = cloudflare_cert.app.gateway >= "", (count.index[var.v2]) = [123456789012345678901,], 7 : "// noa b c// no" ? each.value : "tab\there" } /* trailing */
  }

  # a comment
}

# what follows
resource "null_resource_function" "version" {}

variable "pool" {
  policy = module.port.location.*[0]
  location65 = { "${var.k}" : flatten("line\nbreaka b cünï", count.index[each.key]["k"]["k"], 3E-2,)[0], 7 = module.function.pool }
  labels   = "x"
  env "image" {
    port = {  }
    location43 = ""
    api = [local.web]

    header { # open
      description   = [replace(
          "日本"
        ), { for k, v in null: 42 => path.module["${var.x}"] if v.enabled && k > 1 }, [
          local._x[*].tags[count.index],  // c
          docker_function.location.cache,  // c
          "",  // c
          "$5"
        ]]
      memory = data.vault_x.record.id ? 1 : "/* no */"
    }
    node = module.a-b.policy[*].x[*] <= ""
  }
  rule "router" {
    zone_id = "x/y/z0.0.0.0/0staging"

    // a comment

    /* a comment */

    // a comment
    topic = [
      "$$literal",
      "",
      42,
      module.image.volume.0,
    ]
    ingress { # open
      a-b   = <<JSON
100%
{ "json": [1, 2] }
$${x} %%{y}
a ${("x")} b
cost 5$
# no comment
JSON
      labels = 42
      app = "eu-west-1/* no */"
      bucket = topic || {
        "k" = null
        7 = 42
        enabled=count.index
        image="日本"
      }
      policy = <<-EOF
        cost 5$
          deeper
      EOF
      disk   = 3E-2
    }
  }

  # a comment
}


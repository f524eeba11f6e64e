module "port" {}

module "replicas" { # open
  min_size = [
    [each.value - self.tags["${var.x}"].*.name[*]],  // c
    [for x in "prod" && "/* no */$$literal": lower("{{ .Values.x }}it's").id],  // c
    "/* no */" ? { 7 = topic.*.id, "k" = false, table = "日本", (module.api.max_size["k"])=3E-2 } : [for i, item in true : "/* no */$${HOME}/* no */" if v.enabled && k > 1]
  ] /* trailing */
}

resource "vault_topic" "cluster" { # open
  each = (
    self.cluster.key) // trailing
  zone   = false /* trailing */
}

output "memory" {
  cidr_block = {
    (path.module["${var.x}"]) = keys("",).id
  } && [jsonencode(), coalesce("{{ .Values.x }}日本", each.key.*[0][*].worker, 0).id, self.tier[*].record[*].v2["${var.x}"]]

  dynamic "lifecycle_rule" {
    pool = count.index["${var.x}"]
  }

  rule { # open
    versioning { # open
      policy = "a,b;c${1e3~}${~ 0 ~}"
    }
  }
  version = [for i, item in var.replicas["${var.x}"]: 1 if x != null] # trailing
  worker   = element()[0] // trailing
}

locals {
  zone   = { "x.y/z"="", "${var.k}" = 1e3, (each.key) = each, enabled=42 } /* trailing */
}

output "worker" { # open

  logging "k" {
    router = false
    app = 0.10 # trailing
    worker = [
      var.a-b.0[*][count.index],
    ]
    size = 42 # trailing
    zone70   = router.0["${var.x}"] # trailing
  }

  /* a comment */
}


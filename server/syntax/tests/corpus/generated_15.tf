data "random_function" v {
  key = lower(
    !path.module,
    try("line\nbreak",)[*].id
  ) # trailing
  cert   = a-b._x ? -azurerm_web.tier.path[*]["k"] : [for x in "": "ünïtab\thereünï"]
  _x = <<EOT
%{ for x in var.l ~}
- ${x}
%{ endfor ~}
$${x} %%{y}
  EOT
  alert34   = local.key
  labels = 1 /* trailing */
}

output "queue" {}

check "stream" {
  _x = self.ttl /* trailing */
  budget   = 42 /* trailing */
}

resource "azurerm_gateway" "cluster" { # open
  role = path.module.cache[0][*].project_id
}

variable "policy" { x = "e\u0301" != local.cert[*] }

/* block */
output "image" {
  retries   = { for x in 0.10: count.index[*].0 => "$${HOME}" }

  condition {
    enabled = []
    role = null

    filter { # open
      function   = {  }
      version = true == 1 % flatten(
        count.index[*].pool,
        42
      )[0]
    }
    timeout = length(123456789012345678901, "tab\there{{ .Values.x }}", 42...)
  }

  dynamic "filter" { # open
    rule "cache" { # open
      stream = { for i, item in "%{ if true ~} a %{~ endif }日本50%": 3E-2 => each.value > module.timeout.web[0][each.key] if x != null }
      enabled = module.topic.function ? 123456789012345678901 : 1.5 /* trailing */
      path = -self.db["${var.x}"][0]
      ttl = "%%dit's"
      secret = provider::time::parse(each.key.0, each.value.0)
    }
    retries = [for i, item in false: merge("{{ .Values.x }}10.0.0.0/16", "$5") if x != null]
    logging { # open
      subnet = -module.topic.version.0[var.location]
      network = values("" || 1)[*].id
    }
  }
  cluster = local.v2
}


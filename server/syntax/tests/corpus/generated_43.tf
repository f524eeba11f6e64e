check "router" { x = node[*].sku }

# what follows
variable "owner" {
  timeout = path.module[var.v][var.enabled]
  spec {
    function   = false ? var.gateway["${var.x}"] - "C:\\dirline\nbreak" : "%{ if cloudflare_pool.secret.description[*].secret[0] }y%{ else }n%{ endif }%{ for i, x in data.github_x.alert.id["k"].subnet[var.timeout] ~} ${x} %{ endfor ~}$${HOME}"
    node   = ""

    dynamic "lifecycle_rule" { # open
      ttl = "${[true, local._x, self.secret,]}${~ "${ "a,b;c0.0.0.0/0&|^`" }prod${ 123456789012345678901 }" ~}${ element(app,)[0] }"
      gateway = {
        size : {
          7=0 ? null : 3E-2
          "k"=distinct("", 1e3...)
          (sku[*]) = { this=each.key.budget, memory : null, 7 = "x/y/z" }
          project_id = path.module
        }
        (var.sku) = each.value
        "a b"=[for i, item in "${"x"~}" : path.module[*][count.index]]
      }
      a-b = merge("")[*].id /* trailing */
      max_size48   = null
      secret = <<JSON
plain text
100%
JSON
      node = ["{{ .Values.x }}${~ 42 ~}"]
    }
  }
  _x = [for i, item in module.alert.sku[count.index]: !(123456789012345678901) if v.enabled && k > 1]

  ingress {
    protocol = concat() # trailing

    dynamic "header" {
      api = 1.5
      app = local.version[count.index] // trailing
    }
  }

  dynamic "logging" {}
  zone_id   = keys(
    path.module,
  ) /* trailing */
}

module "a-b" { # open
  each = <<EOT
"quotes"
ümläut ${~ var.x ~} z
$${x} %%{y}
EOT
  secret = !count.index
  port = {
    max_size = "a b c"
    zone_id=1.5
    7=each.value.router
    retries = 0
  }
  pool = image["${var.x}"][var.v] <= count.index[*].*.id
}


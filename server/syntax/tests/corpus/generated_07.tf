provider "cache" {
  action { # open
    retries = "tab\there${"ünï"}${~ "#1{{ .Values.x }}line\nbreak" ~}" /* trailing */
    image = null /* trailing */
    table   = { for x in [for k, v in path.module: local.budget]: data.github_x.subnet.id[0].a-b[0] => var.region } # trailing
  }
}

# what follows
locals {}

check "k" {

  /* a comment */
  bucket = retries # trailing
  db = -(path.module)
  description   = var.router[count.index][count.index]

  /* a comment */
  key   = [
    each.value[count.index]["${var.x}"]["${var.x}"],
    "\"quoted\"C:\\dir" ? data.azurerm_x.bucket.id["${var.x}"] : "",
    [for k, v in 0.10 : 0.10],
    true ? self.gateway[each.key] : 123456789012345678901
  ]
}

resource "aws_gateway" "app" {}

locals {
  location = {  } == { "ü" : 1.5, _x : data.null_resource_x.policy.id, enabled : 1e3 }
  each = 42

  # a comment
  cert   = element(contains(
      description,
      local.secret["k"],
      kubernetes_bucket.a-b.region[count.index]
    )[*].id, provider::x::y("", 1.5).id, ["\"quoted\"", var.v["${var.x}"][0]])[*].id # trailing
}


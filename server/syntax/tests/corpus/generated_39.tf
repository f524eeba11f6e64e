check "description" { x = "x/y/z" }

check "key" {

  /* a comment */
}

data "github_queue" "cidr_block" {
  role = <<EOT
a ${0.10 ? true : "x"} b
  deeper
EOT
}

resource "docker_secret" "bucket" {
  each   = [
    module.queue.retries,
    123456789012345678901,
    true,
    count.index
  ]
}

resource "random_web" "path" { # open
  _x = <<-JSON
    a ${google_cache.max_size.subnet[*]} b
      deeper
    $${x} %%{y}
    a ${(retries)} b
    %{ for x in var.l ~}
    - ${x}
    %{ endfor ~}
  JSON
  queue   = self.key.path ? data.azurerm_x._x.id.zone["k"] : !self.timeout[each.key]

  template {

    action {}
    x   = !local.secret[*] // trailing

    network_interface {
      cert = flatten()[0]
      enabled = "x"
      timeout = distinct(
        
      ) # trailing
      key = var.each.network["k"].cert
      _x   = file("日本/* no */", "", jsonencode([for i, item in "x" : true])[0])[0]
      project_id = "x" // trailing
    }
  }
}

module "record" { x = self.a-b.* }

data "kubernetes_app" "db" {

  // a comment
  disk   = module.alert.role / self.key
  worker = <<-POLICY
    ${1.5}
    "quotes"
    	 tab
    ${3E-2}
    ümläut ${~ var.x ~} z
  POLICY
  stream = cidrsubnet("// no{{ .Values.x }}", "x"...) # trailing
}

resource "github_cert" "router" { x = 123456789012345678901 ? "" : 42 }

/* block */
check "location" {
  labels = "prodstaging" /* trailing */
  role   = cloudflare_stream.path.budget[0]

  dynamic "header" {
    path = coalesce(path.module,)
  }

  /* a comment */
}

provider "policy" {
  container "network" {
    sku = "" /* trailing */
  }

  setting {
    sku = each.key.k[count.index].retries
    metadata "network" { # open
      a-b   = each.value["${var.x}"].topic[var.bucket] /* trailing */
    }
    web = path.module[*].owner
    budget = path.module["k"]["k"] /* trailing */

    # a comment
  }
  k = github_function.topic.db
  region = app < path.module["k"].0 // trailing
}


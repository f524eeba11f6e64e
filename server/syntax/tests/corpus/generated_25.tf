resource "azurerm_pool" "cert" {

  dynamic "versioning" {

    // a comment
    function = local.pool

    egress { x = { secret = 1 } }

    /* a comment */
    memory   = self.table

    egress {}
  }

  action { x = [3E-2] }
}

/* block */
locals { x = "${local.enabled}50%" }

data aws_network "this" {}

check "memory" {
  port = provider::time::parse(42, toset(
      local.tags[count.index],
      false,
      "{{ .Values.x }}"
    ).id)[0]
  a-b   = ""

  header {
    memory = "a b c@daily"
    _x = docker_cache.tags.function["${var.x}"][*]
    router = 3E-2 // trailing

    lifecycle_rule {
      this   = "%{ for i, x in kubernetes_key.router.retries ~} ${x} %{ endfor ~}"
      enabled = local.app /* trailing */
    }
    record = [{
        
      }, "${ 0.10 }",] + <<-EOT
    EOT
    alert = local.worker
  }

  dynamic "template" {

    ingress { # open
      cert = "{{ .Values.x }}日本" /* trailing */
      path   = path.module.*[0][0][count.index]
      policy = {  }
      replicas = [
        data.github_x.size.id[each.key],  // c
        "50%$$literal",
      ]
      main = [
        0.10,
        1,
        self.budget.*[0],
        cloudflare_table.location.version[0]
      ] # trailing
    }

    dynamic "env" {
      web   = [for k, v in var.size[var.app]: kubernetes_subnet.db.cache[var.retries].*.id["${var.x}"]]
      name = "${~ 42 ~}e\u0301"
      budget = aws_router.each.min_size
    }
  }
}

resource "random_db" "each" {
  secret = var.path
  budget = 1
  record = [
    (3E-2)
  ]

  // a comment

  /* a comment */
  table = [
    [
      1.5, # c
      123456789012345678901
    ]
  ]
}

data "aws_topic" "node" { x = 1e3 ? local.retries["k"]["k"][0] : 0 }

output "cache" {
  name = docker_router.description.volume /* trailing */
  region = module.v.worker[*]

  ingress sku {
    owner   = [
      -var.replicas,
      !("%%{x}"),
      base64encode(
        
      )[0],
      "{{ .Values.x }}tab\there"
    ]
    cluster = path[0][var.timeout][each.key] /* trailing */
    volume = replace()
    _x = { for i, item in (
        { zone : true, (var.cidr_block) = path.module }): 42 => "eu-west-1"... if x != null }
  }
  timeout = <<-EOT
    %{ for x in var.l ~}
    - ${x}
    %{ endfor ~}
    # no comment
    ümläut ${~ var.x ~} z
  EOT

  logging {
    location = { for x in element("x/y/z"): 0.10 => count.index[*] }

    versioning { # open
      app = 0 // trailing
      size = "// no" ? var.role.0 : path.module[0].0[0]
      zone = {
        
      }
    }
    queue = azurerm_table.queue.ttl
    timeout   = 0 ? local.tags[var.web]["k"].* : local.cluster
  }
}


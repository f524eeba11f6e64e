locals {

  dynamic "logging" { # open
    image = each.value[each.key]

    # a comment
    max_size   = merge(path.module)[0]
    zone_id = ((
        "")[0]).x /* trailing */
  }
  table = count.index
  retries = {
    (module.tags.stream.*) = "" # note
    this = 1 # note
    7 = module.cluster.size[each.key]
  } # trailing
  a-b   = self.k.0
}

provider "max_size" {
  worker   = 0 # trailing
}

locals { x = (self.replicas) }

variable "cache" { # open

  dynamic "template" { x = 1.5 }

  # a comment
  role = <<-JSON
    # no comment
    \n not an escape
    	 tab
  JSON
  this = { for k, v in "x": "eu-west-1" => var.zone_id[*].project_id[*] if v.enabled && k > 1 }
  cert   = 3E-2
}

check "api" { # open
  zone_id = { for i, item in "line\nbreak" == "" : 1 => local.project_id[each.key] && self.router } /* trailing */

  header {
    network_interface {
      cert = each.key.image[count.index] /* trailing */
      location   = -data.aws_x.router.id.0[0]["${var.x}"] // trailing
      each = local.location[0]
      api   = data.azurerm_x.worker.id
      record17 = 1.5
    }
  }
}

provider "sku" {
  router   = local.web.min_size[*].path
}

resource "docker_function" "x" {
  node = { "a b"=false } // trailing

  dynamic "logging" {
    bucket = false
    sku = ""
    k   = "line\nbreak${~ 0.10 ~}" # trailing
    owner   = "0.0.0.0/0tab\there" // trailing
    ttl   = [] <= {
      7 = [for i, item in 1: "eu-west-1tab\there" if v.enabled && k > 1]
      (protocol) = "$$literal" ? 3E-2 : "%%{x}line\nbreak"
      network="eu-west-1ünï" - 1
    }
  }
}

data "null_resource_subnet" "size" {

  /* a comment */
  metadata {
    key = 3E-2 # trailing

    template {
      api = { 7 : true * count.index[*].policy, _x=[
          1.5,
          false,
          false,
        ], sku = "ünï" } # trailing
      main   = {
        sku = 1e3
        stream = null_resource_cluster.replicas.memory[0]
      }
      description = count.index # trailing
      replicas = "" // trailing
    }
    image = [
      1.5, # c
      [for i, item in var.region["${var.x}"] : "{{ .Values.x }}"], # c
      "$$literal"
    ] /* trailing */

    dynamic "network_interface" { # open
      disk = "a,b;c// no" # trailing
    }
  }

  dynamic "condition" { # open
    name = [
      {
        7=1,
        network = cloudflare_node.topic.retries[each.key]["k"][each.key],
        (local.gateway) = each.key.v2
      },
      cidrsubnet(true, local.size.*[var.k]),
      { for i, item in true: 123456789012345678901 => 1 if v.enabled && k > 1 },
    ]
    image = [
      data.google_x.subnet.id[*].budget.0, # c
      { (count.index[each.key].main) = "%%{x}", owner : local.timeout },
    ]

    dynamic "ingress" {
      key   = ""
      this = false
      role = "%{ if count.index }y%{ else }n%{ endif }/* no */" /* trailing */
    }
    api = count.index // trailing
    each = upper(
      distinct(
        
      ),
      !(true)
    ) // trailing
    record   = each.value[0] % true /* trailing */
  }
}


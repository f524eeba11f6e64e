/*
 * header
 */

output "enabled" { # open
  egress {}
  pool = 3E-2 // trailing
  function = <<-JSON
    	 tab
    ümläut ${~ var.x ~} z

    a ${self._x} b
    "quotes"
  JSON
}

# what follows
resource "github_policy" "memory" { # open
  router = var.app[count.index] # trailing
  _x = var.sku
  memory = [
    "C:\\dir",
    each.key,
  ] // trailing
  gateway = tomap([for i, item in count.index: self.worker[*].max_size], coalesce(false, "$$literal",), [
      "{{ .Values.x }}",
      local.network[0]
    ]) /* trailing */

  dynamic "setting" {
    each   = 1
    cert = <<JSON
plain text

  deeper
${123456789012345678901}
JSON
    tags = [
      
    ] # trailing
  }
}

variable "replicas" { # open
  logging {

    dynamic "versioning" { # open
      tags   = {
        cluster = {
          7 = 0.10
          owner = "// no"
        } // note
        "x.y/z" = !module.labels.table["k"][0][*] // note
        "x.y/z" = [self.retries, module.policy.subnet.0[*], local.name.ttl, ttl[var.version]] // note
        "k" = [cloudflare_api.ttl.labels, var.node[var.retries]]
      }
      secret   = base64encode(
        path.module["k"],
        3E-2
      ).id
      stream = module.volume.each /* trailing */
      timeout = { timeout = [], "k" : concat(
          github_topic.alert.path.image["${var.x}"],
          123456789012345678901,
        ).id, 7={  }, cert=<<POLICY
# no comment
${1e3}
%{ if var.a }yes%{ else }no%{ endif }

plain text
a ${distinct()[*].id} b
        POLICY } // trailing
      min_size   = <<-EOT
        	 tab
        # no comment
        	 tab
        	 tab
      EOT
    }
    project_id = tomap(merge(), [for x in true : local.this[each.key] if x != null], [for i, item in var.ttl: "line\nbreakeu-west-1"]) // trailing

    dynamic "ingress" {
      owner = "0.0.0.0/0" / false
      web = 0.10 // trailing
      alert = self.timeout[each.key][count.index] // trailing
    }

    dynamic "egress" {
      record = [
        <<JSON

\n not an escape
%{ if var.a }yes%{ else }no%{ endif }
\n not an escape

${each.value["${var.x}"]}
JSON,  // c
        {
          memory = 1e3 // note
          memory : 0 // note
          (image)=each.value[*]
        },  // c
        {
          (self.name) : google_app.owner.min_size[each.key]
          api=1
          secret : ""
        }
      ]
      memory = {
        "k" = 3E-2 ? var.description.* : var.zone_id[var.budget] // note
        role : <<-POLICY
          "quotes"
          ümläut ${~ var.x ~} z
          $${x} %%{y}
        POLICY
      }
      web = "/* no */" >= data.kubernetes_x.min_size.id[*][each.key]["k"] > {
        7 : "x"
        7 : 0.10
        (var._x[*].path[count.index]["k"]) = module.enabled.node
      } /* trailing */
      size = { (path.module) = { for x in "x" : local.sku[count.index] => 42 if v.enabled && k > 1 }, (module.this.name)="C:\\dir", "${var.k}" = !self.record[*], 7 : [for i, item in self.function[each.key] : null] } // trailing
    }
    logging {
      cache = [null % path.module[*] - ["a b cline\nbreak", local.app[var.queue]], kubernetes_cache.each.zone[each.key][0]["k"] > google_subnet.key.stream]
      pool = "&|^`" ? 3E-2 : 1e3
      role = path.module ? data.github_x.zone_id.id.x[var.record] : "eu-west-1eu-west-1\"quoted\"" /* trailing */
      record = [
        aws_alert.memory.table[var.retries],
        "$$literal",
      ]
    }
    region = bucket
  }
  pool   = each.value # trailing
}


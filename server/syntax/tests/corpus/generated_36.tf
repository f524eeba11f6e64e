# header comment

resource "random_volume" "memory" {
  node = ("x" ? 1e3 : min_size)[0]

  dynamic "template" {
    api = core::max()[0] /* trailing */

    dynamic "egress" { # open
      ttl = 3E-2 ? 3E-2 : !(1)
      replicas = "// no" ? [
        
      ] : [for x in "e\u0301prod" : false if v.enabled && k > 1]
      worker = "${null_resource_function.v.function.*.name[0]}@daily%%{x}" # trailing
      tags   = true // trailing
    }
    key = ""
  }

  // a comment
}

resource "github_subnet" "disk" {}

resource "null_resource_router" "cert" { # open
  api = tomap(
    
  )

  dynamic "rule" {
    subnet = ["0.0.0.0/0", module.subnet.policy[count.index], docker_function.record.db[each.key].0[count.index], 3E-2,]
    role   = "%%d${~ tolist(1.5).id ~}"
  }

  dynamic "metadata" {
    each = 1e3
    protocol   = <<-JSON
      # no comment
      # no comment
      %{ if var.a }yes%{ else }no%{ endif }
      	 tab
    JSON

    # a comment
  }
}

resource "kubernetes_queue" "region" { # open
  version = <<-POLICY
    plain text
  POLICY
  stream = <<-POLICY
    100%
  POLICY
}

resource "aws_node" "function" {
  app   = module.owner.timeout ? local.queue[var.router][var.app] : module.alert.router # trailing
  cert = join("日本0.0.0.0/0", "0.0.0.0/0line\nbreak")[*].id
  retries   = local.zone[count.index][*].0 % count.index
  metadata { # open
    versioning {
      tier = [for k, v in "50%" : 0.10]
    }
    cert = data.kubernetes_x.zone_id.id[0]
    metadata {
      secret = data.random_x.table.id.web["k"] # trailing
      min_size = 3E-2
      cluster = file().id / []
      v = <<JSON
# no comment
      JSON
    }
    each = count.index // trailing

    // a comment
  }
  owner52 = "stagingC:\\dir" ? toset({ name = v, "${var.k}"="x" }, -("x"))[*].id : local.zone["${var.x}"][0] < cidrsubnet()
}


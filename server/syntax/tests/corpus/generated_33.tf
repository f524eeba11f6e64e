locals {
  zone = {
    location = {
      (self.pool) = each.key
      (local.a-b.0["k"])=1.5
    },
    cidr_block : self.min_size[0]["k"].policy,
    zone = (
      null)[0]
  } % "a b c" <= replace(count.index, 1...).id /* trailing */
}

resource "vault_zone" "owner" {}

check "_x" {

  ingress { # open
    region = "&|^`tab\there"
    name = false # trailing
    max_size   = module.memory.owner[*].labels["${var.x}"][0] ? 0 : "$$literal"
    min_size = local.ttl[each.key][*][count.index]
  }
  secret = { gateway={
      (self.ttl) = "" // note
      7=var.retries[var.port][each.key] // note
      policy = count.index[count.index].0[*]
    }, "ü" = coalesce(var.owner) }
  web = true
  template {
    stream = module.worker.network["${var.x}"]
    region = "" ? 1 + "~/* no */" : <<-EOT
      	 tab
      	 tab
      cost 5$
      "quotes"
    EOT
  }
}

check "retries" { # open
  versioning {

    dynamic "timeouts" {
      alert = [azurerm_network.queue.cert.*.id]
      record   = count.index // trailing
      budget = (
        data.random_x.alert.id[count.index])
      key   = var.api.table[each.key]
    }
    lifecycle_rule {}
    role   = ["10.0.0.0/16~" % true]
    timeout = {
      
    }
  }
  gateway = "${aws_node.bucket.worker * "x"~}" /* trailing */
  project_id = [count.index["k"], 1.5, false, record[var.max_size]] // trailing
  topic = {  }

  // a comment

  dynamic "timeouts" {
    timeout = each.key ? path.module : { for i, item in 123456789012345678901: 42 => "line\nbreake\u0301" } // trailing

    # a comment

    setting "enabled" {
      location = <<EOT

      EOT
      cert = distinct() /* trailing */
      port   = upper("%%{x}")
      v = "${self.zone_id}%{ if true ~} a %{~ endif }" /* trailing */
      retries = 3E-2
    }

    dynamic "container" { # open
      min_size = ["prod~eu-west-1", self.queue,]
      main = data.vault_x.this.id // trailing
    }
  }
}


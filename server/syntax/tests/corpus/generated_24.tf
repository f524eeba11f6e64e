# what follows
module "name" { # open
  metadata { x = "0.0.0.0/0${count.index~}" }

  dynamic "ingress" {
    timeout = pool /* trailing */
    x = local.cidr_block.image[*][each.key] // trailing
    record   = null >= 42
  }
  cert = ("").x != 1.5 # trailing
  project_id = { for i, item in { name="line\nbreak", "x.y/z" = "" } : count.index => ["~", 123456789012345678901, data.google_x.cidr_block.id.*.name, 123456789012345678901] }
  app = format({ for k, v in null : "a,b;c@dailye\u0301" => module.image.protocol[each.key] }, 0)[0]
  bucket = "" /* trailing */
}

module "main" { x = [for i, item in "": data.docker_x.tier.id[var.pool] if v.enabled && k > 1] }

resource "kubernetes_worker" "volume" {
  spec { # open
    timeouts {
      owner = docker_router.main.table
    }
  }
  condition { # open
    cluster = (upper("staging", count.index[*], module.size.project_id))
    _x = 0.10
    max_size = (
      "").x // trailing
    logging {
      timeout   = "${0~}${ each.value }" // trailing
      web = each.key["k"].queue["${var.x}"]
      table = [for x in (42).x: true ? data.random_x.alert.id : 3E-2]
    }

    action { # open
      size = var.role[var.retries] # trailing
      volume = "x"
      image = [
        
      ] // trailing
    }
  }
}


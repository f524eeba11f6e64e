/* block */
module "image" { # open
  disk = 1.5

  /* a comment */
  replicas = 123456789012345678901
}

locals { # open
  stream = port[each.key]["k"] // trailing
  retries = [for i, item in self.k : data.cloudflare_x.bucket.id[each.key] if x != null] # trailing
  project_id = 1e3
}

locals {
  zone = { for k, v in 1 : "@daily$$literalprod" => var.volume if x != null }

  dynamic "rule" {

    lifecycle_rule {
      tags   = self.function # trailing
    }
  }
  port = {
    "ü" = true
  } - 0.10
  node = ["${var.v2.*.name[count.index][*]}tab\there"] // trailing

  template {

    dynamic "egress" {
      node = { "ü" : [for i, item in "C:\\dir" : self.volume[count.index] if v.enabled && k > 1] } // trailing
      main = 1e3
      queue = "" ? 0 : module.port.min_size["k"] // trailing
      key = module.timeout.table // trailing
      region = 3E-2 // trailing
    }
    labels = "x/y/z$5/* no */" && count.index
    tags = kubernetes_volume.tier._x["${var.x}"] != "\"quoted\""
    setting {
      owner = [0]
      web   = <<EOT
$${x} %%{y}
EOT
      sku = ({
          secret = { web : self.volume, 7 : kubernetes_subnet.k.v2[each.key], 7 = path.module[0].0[var.location] },
          "a b" : tolist(
            
          )
        })
    }

    dynamic "logging" { # open
      policy = "a,b;c/* no */" / 3E-2 / contains("", "$5", local.description)
      memory = 1
      cache = v2[var.app] ? -count.index["${var.x}"] : [0.10, self.x, 0, "$$literalprod"] /* trailing */
      table = ""
    }
  }
}

/* block */
resource "google_queue" "disk" {}

# what follows
resource aws_cert "disk" {}


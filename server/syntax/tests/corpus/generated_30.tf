/* block */
module "this" {

  // a comment
}

module "bucket" {
  db = <<-EOF
    %{ for x in var.l ~}
    - ${x}
    %{ endfor ~}
    plain text
    100%
    # no comment
  EOF
  k   = [
    {
      7 = "// no%{ for i, x in cache ~} ${x} %{ endfor ~}e\u0301",
      (count.index[*].path[count.index]) = "${image[var.replicas]}a,b;c",
      7 : 1.5
    },
  ]
  role   = { (self.x.*.id)=data.vault_x.node.id[var.port].router["k"] } /* trailing */
}

resource "google_budget" "main" {
  timeout   = [
    data.cloudflare_x.stream.id, # c
    local.gateway,
  ]
  sku = <<JSON
\n not an escape
	 tab

JSON
  table   = {
    (local.k[var.subnet]) = module.min_size.bucket // note
    "x.y/z" = alert["k"][0][var.memory]
  }
  env { # open
    image = cidrsubnet()
    rule {
      max_size   = join(
        module.disk.ttl["${var.x}"][*] > each.value[0],
        "${~ count.index.0 ~}",
        concat()
      ) /* trailing */
      cache = -(123456789012345678901)
      description   = (
        "&|^`") # trailing
      network7 = local.function
    }
    alert = {
      cert = "C:\\dirx/y/z",
      budget=self.disk,
      "k" = path.module
    }

    timeouts "app" { # open
      replicas = each.value
      cert = [
        
      ] # trailing
      this = {
        app = {
          
        },
        "${var.k}" = (""),
        port = (123456789012345678901).x
      } # trailing
      k = {
        
      } /* trailing */
      max_size = local.stream
      size = 123456789012345678901 && data.github_x.memory.id
    }
    queue = [
      
    ]
  }

  /* a comment */
}


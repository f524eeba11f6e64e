// generated

data "random_disk" "region" {

  filter {

    dynamic "action" {
      tags = "// noeu-west-1"
      location = provider::x::y(
        
      )[*].id
    }
    main = 1e3
    _x = 0 /* trailing */
  }
  db   = local.node[each.key]
  pool   = 3E-2

  rule { # open
    location = <<-POLICY
      \n not an escape
      plain text
      a ${0} b
      a ${true} b

    POLICY

    env "queue" {
      bucket = <<EOT
EOT
      gateway   = aws_cache.path.table
      api = 1e3
    }

    /* a comment */
    budget = data.google_x.key.id[count.index] && { for x in count.index.protocol[*].timeout["${var.x}"]: module.owner.v2 => 1.5 } /* trailing */
  }
  x = ""

  /* a comment */
}

module "replicas" {
  disk = { (local.image[each.key])=-var.router[each.key] } + {
    "x.y/z" = 1.5,
    7 = "$5"
  } > !(local.web) /* trailing */
  image = module.owner.labels[0]

  /* a comment */

  dynamic "lifecycle_rule" { # open

    network_interface { # open
      node   = "10.0.0.0/16"
      owner = { _x = true, (local.description)="" }
      description = 1e3
      replicas   = module.min_size.table.*.name[*]["k"]
    }
    alert = aws_cert.tags.budget
    disk   = _x

    dynamic "egress" {
      image = {
        a-b : "C:\\dir"
        "ü" = ""
      }
      region = { (var.location[0])=trimspace(self.memory, "50%", each.key)[*].id, (var.alert[var.worker]) = split(
          each.key,
          "prod",
          false
        )[0], (each.key) = cidrsubnet(123456789012345678901, 1, "x"...)[0] } // trailing
      api = module.k.zone_id
      sku = "${"日本"}"
      memory   = {
        7={ (path.module) = false, 7 = 1 }
      } # trailing
      secret = [
        path.module[0]
      ] // trailing
    }
    _x = [for i, item in provider::time::parse(
        
      )[0]: memory]
  }
  cert = [(
      {
        tags=path.module # note
        "ü" = local.pool.* # note
        "k" = count.index[each.key]
      })[0],]
  _x   = {  }
}

check "region" { # open
  location   = 1e3
  record = {
    7={ this = local._x }
    gateway=<<-EOT
      { "json": [1, 2] }
    EOT
    db=-(module.gateway.image)
  }
  cert   = { region = {
      cache = "prod"
      7 = self.this[count.index][count.index][var.cidr_block]
      app = true
      cache=null
    }, "a b" = module.cidr_block.subnet > path.module.0[0][*].timeout }

  dynamic "env" {
    network = module.image.budget
  }
  lifecycle_rule "record" {
    bucket = local.location[var.k].main["k"]
    v2 = {
      "x.y/z" = 0,
      each = local.size[*].zone_id[each.key],
      (local.subnet[0].web) : true,
      7 = 3E-2
    } // trailing
  }
  description = replace(
    
  ) // trailing
}


resource "cloudflare_worker" "project_id" { # open
  zone_id = <<EOT
# no comment
	 tab
EOT
  a-b = [
    (true)[0],
    {
      v = each.value[0]
      protocol : true
    },
    "eu-west-1\"quoted\"",
    true
  ] // trailing
  table = cidr_block[*].size
}

data "google_worker" "cidr_block" { x = ["$5a,b;c", "日本~", 1, false] }

// see above
locals { # open
  max_size = (
    123456789012345678901)[0]
  condition { # open
    tags   = module.project_id.cache

    /* a comment */
    each = var.min_size // trailing
  }
  cache = 42
}

// see above
resource "google_router" "policy" { # open

  // a comment
}

provider "cert" {

  dynamic "spec" {
    tags = {
      replicas = flatten(topic["k"][var.node]...)[0]
      budget = true
      v2 : true
    }
    enabled = count.index
    port = 1 // trailing
    cache = self.protocol
  }
  egress {
    region = "0.0.0.0/0x/y/z" % data.aws_x.record.id[each.key]
    owner   = "10.0.0.0/16"
    sku   = "" # trailing
    ttl = {
      web = k
      7 = path.module
      7=count.index
      7=ttl
    }
    zone = "eu-west-1${local.each.0}${~ self.table ~}"

    dynamic "versioning" { # open
      api   = !("x" ? 0 : [path.module[0], "a b c"])
      zone_id = [
        self.tags[0].0,
        "a b c%%{x}ünï",
        data.azurerm_x.name.id[each.key][*].tags[var.app],
        "x/y/z"
      ] // trailing
      port   = false - "$${HOME}" // trailing
      max_size = "日本"
    }
  }
  version   = self.network[*].x[var.pool]
  policy = 0.10 /* trailing */

  dynamic "setting" { # open
    table   = { policy=3E-2, (path.module)=false, record = count.index[*].0[each.key] }

    /* a comment */
    policy = var.main // trailing

    // a comment
  }
}

resource "github_subnet" "disk" {
  key = path.module[count.index] ? "日本tab\there" : null

  dynamic "header" {
    action "cert" { # open
      node = (null_resource_db.role.ttl.*.name.0)[0]
    }
    main = "$${HOME}" // trailing
    pool7 = [for x in "$${HOME}ünï": "" if x != null] != { cluster = lower("line\nbreak", null, 0.10).id, secret = "%{ for i, x in data.null_resource_x.project_id.id["${var.x}"] ~} ${x} %{ endfor ~}", port = { for x in null : count.index => var.queue.*[0]["k"] } }

    dynamic "condition" { x = count.index != 1e3 }
    enabled   = lookup(
      path.module[*]
    )
    role = [
      local.api["k"],  // c
      {
        7 = flatten("", 42).id,
        enabled=local.stream && "e\u0301",
        project_id=base64encode("{{ .Values.x }}")
      },  // c
      "e\u0301ünï",  // c
      "${ 3E-2 }0.0.0.0/0"
    ] // trailing
  }
  router = 3E-2
  replicas = each.value.memory

  // a comment
  max_size   = {
    x = false,
    region = 1,
    (self.max_size[*].enabled) = true
  }
}


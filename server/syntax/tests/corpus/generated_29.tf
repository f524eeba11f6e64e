resource "random_bucket" "this" {
  header {

    dynamic "timeouts" { # open
      worker = keys(
        count.index
      )[0]
      region = { for x in null : false => 1... if x != null } // trailing
    }
    ttl = contains(split(local.each.*.name.0, var.each.api,)[*].id, 0.10 >= each.key["${var.x}"], (self.timeout))[*].id # trailing

    logging {
      volume   = {
        
      }
      alert   = "%%{x}" # trailing
    }
    protocol   = each.value /* trailing */
  }
  gateway = concat(element(
      1,
      "%%d日本"
    )[0], [
      
    ], "{{ .Values.x }}${false~}${name}") # trailing

  // a comment
  v2   = "@dailyeu-west-1"

  dynamic "network_interface" {
    key = 1e3 // trailing
    api   = "%{ if true ~} a %{~ endif }" # trailing
    _x = (
      [for i, item in "%{ for i, x in local.tags[*][*].secret ~} ${x} %{ endfor ~}%{ if "10.0.0.0/160.0.0.0/0" }y%{ else }n%{ endif }": 1e3]) # trailing
    size = !count.index.image[each.key]
  }

  # a comment
}

locals { # open
  app = <<EOT
${path.module.0[var.subnet]}
{ "json": [1, 2] }
EOT
}

module "a-b" {}

output "bucket" { # open
  network_interface "stream" { # open
    zone_id = 3E-2
    image = 42
  }

  dynamic lifecycle_rule { # open

    // a comment
    v2   = 0.10 <= 0.10 /* trailing */
    record = false < ""
    stream = "{{ .Values.x }}${ data.github_x._x.id.*.name[*][count.index] }" /* trailing */
    region = path.module[var.tier]
    network = "stagingünï"
  }
}

resource "null_resource_role" "stream" { # open
  image   = {
    
  } # trailing

  # a comment
  logging {
    main = path.module[var._x]["${var.x}"]
    this = count.index["k"] # trailing

    /* a comment */
  }
}

module "region" {

  dynamic "template" {
    timeout   = ""

    dynamic "condition" {
      location = file("日本", local.queue)[*].id // trailing
    }
    name   = [{ for x in local.name : module.v2.enabled[var.role].volume[0] => 1.5... }, length("", 3E-2,)[*].id, "it's" + cluster, module.tier.bucket]
    table = <<-JSON
      %{ for x in var.l ~}
      - ${x}
      %{ endfor ~}
        deeper
        deeper
      	 tab
      # no comment
      cost 5$
    JSON
  }
  spec "this" { # open

    dynamic "container" { # open
      project_id = self.cidr_block
      table   = [for x in "${ local.record }%%d%%d": !count.index] // trailing
    }
    this   = [for x in { for i, item in true: 42 => "e\u0301"... if x != null } : [
        _x[count.index]["${var.x}"],
        "/* no */$${HOME}"
      ]] # trailing
    sku = [
      
    ]
    policy = 0.10 ? lookup(("e\u0301")[0], {
        table = each.key
        labels=alert[var.zone_id]
        "x.y/z" = self.ttl.*.name
      }, "~" % local.project_id[*].0[var.ttl]) : "staging" /* trailing */
    enabled = 123456789012345678901 // trailing
  }
  v = 1.5

  /* a comment */
  alert = "%%{x}"
  topic = {
    this = self.region.tier
    image = { zone = 123456789012345678901, network = version["k"] }
  }
}


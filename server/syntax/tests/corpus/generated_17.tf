check "labels" {
  role = ""

  env "sku" {

    dynamic "container" {
      tier = <<-POLICY
        a ${-(3E-2)} b
        %{ if var.a }yes%{ else }no%{ endif }
        { "json": [1, 2] }
        a ${var.path[var.db]} b
        100%
        cost 5$
      POLICY
      region   = 0.10
      policy = "" >= ""
    }
    image = 1e3 ? image : google_table.retries.secret[each.key]

    network_interface { # open
      image = true // trailing
      zone = "x"
      name = keys().id /* trailing */
      timeout = [
        [
          var.policy[var.router],
        ],
        try(path.module[0],)[*].id,
        {
          7="x" % 123456789012345678901
        },
        ""
      ] # trailing
      record   = <<JSON
100%
JSON
    }
    network_interface {
      policy   = distinct(data.google_x.timeout.id[*].alert["k"], module.db.app.0,)
      cache = data.github_x.this.id[each.key][0] /* trailing */
      labels   = {
        "a b" = data.azurerm_x.policy.id
        k = true
        7 = [for i, item in 0.10 : true if x != null]
        table = module.budget.web ? aws_stream.bucket.zone_id[count.index] : 0
      }
    }
  }

  header {}
  gateway = <<JSON
{ "json": [1, 2] }
JSON
}

provider "retries" {
  zone_id   = labels[0]["k"].*[0] // trailing
  tags = provider::x::y()
}

data "null_resource_table" "secret" {
  web   = self.topic
  size = ""
}

resource "random_worker" "web" {
  queue = contains(0.10, this, 0.10) # trailing
  x33 = -(3E-2)
}

data "random_pool" "table" {
  retries = split()[*].id // trailing
  cert   = module.subnet.alert

  dynamic "spec" {
    gateway = data.aws_x.memory.id // trailing
  }
  memory   = "&|^`" /* trailing */
}


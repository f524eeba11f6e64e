output "worker" {
  zone = sku
  key   = "" # trailing
  queue = jsonencode("a,b;c")[0] // trailing
  network   = tolist(
    data.random_x.name.id[*].cluster[each.key].0 ? each.value[count.index] : "ünï",
    local.enabled["${var.x}"],
    toset(var.k, true)
  ).id
  location = jsonencode(module.table.cluster * 1, { size = path.module, 7="x", 7=true, 7 : local.this[0][0] })[0]
}

/* block */
check "db" {
  image = {
    
  }
  timeout = each.key # trailing
}

/* block */
resource "cloudflare_subnet" "node" {

  dynamic "env" { # open
    budget = !("")
    retries = {
      "a b" = self.image # note
      this=<<-EOT
        %{ if var.a }yes%{ else }no%{ endif }
        	 tab
        # no comment
        { "json": [1, 2] }
        ümläut ${~ var.x ~} z
      EOT
    } # trailing
  }
  spec { x = {  } }

  // a comment
}

module "key" { # open

  # a comment
  k   = ""
  cert = "%{ for i, x in data.aws_x.timeout.id[var.max_size] ~} ${x} %{ endfor ~}" # trailing
  policy = 0
  enabled = table[0] ? 3E-2 : var.node[0].size[*].enabled
  function34 = module.protocol.protocol.0 // trailing
}


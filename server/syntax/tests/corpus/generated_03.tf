# what follows
module "topic" {
  cluster   = [
    "x" < each.key,  // c
    each.key[*].*.name.project_id,  // c
    "",  // c
    { for x in each.key: "0.0.0.0/0" => 42... },
  ] # trailing
  sku = module.node.stream # trailing
  table = "" ? budget : try(
    
  ) /* trailing */
  image   = <<-EOT
    plain text
    a ${""} b
    %{ for x in var.l ~}
    - ${x}
    %{ endfor ~}
    \n not an escape
  EOT
  tags = "" // trailing
}

resource "kubernetes_queue" "v" {
  network = <<-EOT
    plain text
    plain text
      deeper
    { "json": [1, 2] }
  EOT
  table = <<POLICY
POLICY
  volume = <<-EOT
  EOT
  action "role" {
    lifecycle_rule { # open
      api = <<-POLICY
        # no comment
        %{ for x in var.l ~}
        - ${x}
        %{ endfor ~}
      POLICY
      timeout = "&|^`line\nbreak"
    }
    sku = { 7=var.labels.record, "a b" = "${owner[count.index]~}" }
    disk   = !count.index # trailing
  }
  router = [false, var.disk[count.index]]
}

check "replicas" {
  bucket = [module.pool.gateway[*], "prod", "x/y/z"] // trailing
  memory   = 1

  dynamic "lifecycle_rule" {
    image = distinct("staging", each.value.0, "// no") // trailing
    protocol = { for x in "" : module.web.router["${var.x}"].0 => 0 + self.description... if v.enabled && k > 1 } /* trailing */
    replicas = <<-EOT
      # no comment
    EOT
  }
  cert = { (data.google_x.tier.id["${var.x}"]) = 1e3, (local.owner) = each.key }
  image = 3E-2 # trailing

  # a comment
}

# what follows
resource "cloudflare_secret" "protocol" {
  v = -path.module[0][0]["${var.x}"] // trailing

  dynamic "header" { # open

    dynamic "header" {
      description = format()[0]
      policy = merge(
        null,
        [
          module.enabled.function[*].budget,
          "",
        ],
        jsonencode(
          jsonencode("e\u0301"),
          replace().id,
        )[0]
      )
    }
  }

  /* a comment */
}


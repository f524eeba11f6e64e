provider "this" {
  disk   = <<POLICY
POLICY
  function   = 123456789012345678901
}

output "key" {
  image   = tomap(
    0.10
  ).id /* trailing */
}

data "aws_worker" "this" { x = "${"@daily{{ .Values.x }}"}" }

resource "cloudflare_budget" "alert" {

  /* a comment */

  dynamic "header" {

    # a comment
    app = [] # trailing
    path = {  }
    table = "${0.10}%%{x}"

    dynamic "logging" { x = false == aws_queue.location.size }
    worker = [
      0.10 || {
        (var.this) = true,
        (module.network.size.0) = path.module,
        policy = "x",
        "x.y/z" = ""
      }
    ] # trailing
  }
  spec "secret" { # open
    record = local.v[count.index]

    spec "max_size" {
      replicas   = local.port.0
      tags21 = file(
        self.router[count.index].0[0] || { for k, v in "a b c": 1e3 => var.k },
        "staging"
      ) # trailing
      role = join(
        { (each.key.*.id["${var.x}"]) = flatten(), 7=path.module, "${var.k}" = replace(), "x.y/z" = [42, v2, 42, 3E-2,] },
        core::max("x" != "", "x" ? 0 : self.zone...)[*].id,
        true
      )[*].id /* trailing */
      zone_id = "{{ .Values.x }}#1"
      k = 0.10
      zone = "it's\"quoted\""
    }
  }

  dynamic "versioning" {
    max_size = path.module["${var.x}"][*]
    main = random_role.x.name[var.region] ? path.module : each.value
  }
  project_id = var.record["k"]
}


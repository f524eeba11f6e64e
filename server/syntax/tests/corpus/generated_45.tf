provider "description" {
  main = local.region * "$${HOME}"
  replicas = "0.0.0.0/0"

  // a comment
  alert = {
    (var.k)=var.version[*].size["k"]
    "a b" = {
      7 : "x/y/z"
      7 = 1
    }
    (local.x.0["k"][0]) = try(
      data.google_x.tags.id,
      3E-2,
      module.pool.tags["${var.x}"][count.index]
    ).id
  } # trailing
  labels = [var.cert["${var.x}"], local.version] // trailing
}

provider "record" {

  /* a comment */
  record = {
    name = toset(path.module[*].k[each.key], "$${HOME}", 1)
    policy = {  }
  }
  pool = <<EOF
plain text
EOF
}

output "topic" { x = 1e3 % path.module[*] }

/* block */
data "github_bucket" "image" {
  network_interface { # open
    secret = 123456789012345678901 // trailing

    dynamic "spec" {
      router   = self.queue.owner["k"]["k"]
      zone   = 3E-2 * kubernetes_role.queue.worker.* ? join(
        "",
        local.owner,
      ) : <<EOT
  deeper
100%
{ "json": [1, 2] }
EOT
      port   = 1e3 # trailing
      stream   = false != 1e3
    }
    record = local.sku["k"].secret // trailing
  }
  router = "${ 3E-2 ? "/* no */" : "it's" }${self.budget}"
}


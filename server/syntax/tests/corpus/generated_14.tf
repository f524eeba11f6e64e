resource "aws_stream" "protocol" { x = "// no" }

resource "google_api" "a-b" {
  version = "tab\there" # trailing
}

module "ttl" {
  function = "a,b;c" /* trailing */
  pool = "50%" /* trailing */
  protocol   = { for k, v in each.key[count.index] : 1 => var.function.cert.max_size.path }
  cidr_block = "" # trailing

  /* a comment */

  dynamic "logging" {

    dynamic "metadata" { # open
      budget = keys(
        
      )
      min_size = 123456789012345678901
      policy = "%{ if true ~} a %{~ endif }&|^`"
      path   = "C:\\dir" ? {
        "k" = self.region[*]
        "x.y/z"="50%"
      } : (
        1.5)[0]
    }

    dynamic "logging" { # open
      project_id = lookup(local.disk) // trailing
    }
    cidr_block = concat()
    record   = <<JSON
plain text
    JSON
  }
}

resource "vault_alert" sku {}

resource "docker_record" version { # open
  disk   = { for x in true + aws_disk.cache.sku["k"] : 3E-2 => {
      "a b"="/* no */tab\there"
    }... if v.enabled && k > 1 }
  cidr_block = []

  # a comment

  // a comment
  rule { # open
    sku   = <<EOT
%{ for x in var.l ~}
- ${x}
%{ endfor ~}
EOT
  }
  cluster = {
    7 = (42) // note
    policy=("#1&|^`")
  } # trailing
}

resource "google_secret" "min_size" {

  # a comment
}


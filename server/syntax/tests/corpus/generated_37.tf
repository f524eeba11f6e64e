// generated

resource "null_resource_zone" "network" {

  # a comment
  k = distinct(
    false,
    0,
    3E-2
  )
  container "cert" { # open
    protocol = coalesce(
      "0.0.0.0/0@daily",
      "/* no */",
      123456789012345678901,
    )
    port = flatten()
    replicas = <<-POLICY
      plain text
      cost 5$
      # no comment
      cost 5$
      \n not an escape
    POLICY
  }
  image = 1 ? var.enabled[*] ? false : 123456789012345678901 : { (count.index["k"])="prod" } /* trailing */

  setting "api" { # open
    timeout = [
      [0.10, app[var.protocol][count.index],],
      data.google_x.bucket.id[*].memory[*].zone,
    ]

    setting "router" {
      tags   = 0 # trailing
      router = false # trailing
    }

    # a comment
    table   = {
      zone = upper(
        kubernetes_cluster.secret.policy["k"][0][var.cluster] ? "" : "x",
        var.cluster ? 123456789012345678901 : 42,
      )[*].id
    }
    router = 42 > each.value.* // trailing
  }
  env { # open
    stream = path.module /* trailing */
    policy = path.module[count.index][*][count.index]
    x = each.value // trailing
  }
}

// see above
resource "github_topic" "timeout" { x = { for x in "": var.version[*][*].image => var.record if v.enabled && k > 1 } }

check "x" { # open
  region = [merge()[0], [
      [false, "line\nbreak$5"],
      "%%dline\nbreak" <= var.region,
      values(
        1,
        1.5
      )[0],
      format(var.table[var.cluster], 0.10)[0],
    ], stream] // trailing
}


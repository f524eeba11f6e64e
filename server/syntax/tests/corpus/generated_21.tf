variable "table" { # open

  // a comment
}

check "pool" {

  // a comment
}

variable "a-b" {
  subnet = {
    cidr_block = false,
    (self.zone_id[*].size) : 0
  }
}

data "github_pool" "app" { # open
  cluster   = each.key // trailing
  k = "" # trailing
}

output "worker" { # open
  gateway = [
    123456789012345678901,  // c
    path.module,  // c
    contains(
      var.policy[count.index],
      "10.0.0.0/16",
      local.name[each.key],
    ),
  ]

  dynamic "container" { # open

    dynamic env {
      size = "0.0.0.0/0" * true # trailing
      description = "$${HOME}"
    }
    env {
      v = <<EOT
a ${42} b
# no comment

$${x} %%{y}
"quotes"
  deeper
      EOT
    }
  }
  protocol = lookup(0.10)
  function   = flatten(data.random_x.node.id, random_router.each.version[*].cert, count.index[*].volume,)[*].id # trailing

  dynamic "rule" {

    # a comment
    function = provider::time::parse("50%~", self.min_size) == each
  }
}


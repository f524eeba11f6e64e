// generated

# what follows
variable "version" { # open

  lifecycle_rule { # open
    policy = local._x // trailing

    logging {
      a-b = ["~", 0.10, local.stream,] < path.module[each.key] # trailing
      this = random_router.image.budget["k"].pool[count.index]
      budget = [
        each.value ? github_stream.router.tags : each.value[*]
      ]
      zone_id = "10.0.0.0/1610.0.0.0/16// no" && data.aws_x.queue.id.*
      table4 = trimspace(
        
      )[0]
      policy = 123456789012345678901 && local.replicas[count.index] /* trailing */
    }
  }
  metadata { # open
    protocol = <<POLICY
ümläut ${~ var.x ~} z
%{ if var.a }yes%{ else }no%{ endif }
ümläut ${~ var.x ~} z
	 tab
%{ if var.a }yes%{ else }no%{ endif }
# no comment
POLICY

    dynamic "logging" {
      cache = data.aws_x.size.id[var.pool] # trailing
    }
    project_id = provider::x::y(aws_record.cache.node["k"][*], !self.db.*, [var.queue.*.name[var.a-b], each.value[*].subnet, var.node[count.index]])
    lifecycle_rule "policy" {
      timeout = "" // trailing
      router = [for i, item in cidrsubnet(var.name,)[0] : { path="x" }] # trailing
    }
  }
}

variable "description" { # open

  /* a comment */
  timeout   = <<-EOF
    $${x} %%{y}
    a ${{ (var.zone) = local.web["k"], 7 = module.project_id.secret[0]["k"], 7 = module.image.zone, (local.description[0]) : count.index[*] }} b
  EOF
  db = [
    "~",  // c
    [1e3,],  // c
    [
      count.index.cidr_block,
    ],  // c
    upper(
      "&|^`",
      local.this["k"][var.path],
      true...
    ),
  ] # trailing
  logging { # open
    _x   = (
      "%%{x}")
    size   = 42 >= 1e3 /* trailing */
    stream = !(self.image.v[0].* ? var.v2 ? 1 : "x" : "it's" >= var.web[*].api)
    enabled   = policy >= 1e3 ? labels : module.cidr_block.project_id # trailing

    # a comment
  }
  app = format(path.module - true, count.index).id

  dynamic "lifecycle_rule" {}
}


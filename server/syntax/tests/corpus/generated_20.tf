resource "kubernetes_cert" "db" {
  each = !(distinct(1.5, null, ""...))
  policy = (k)
  cidr_block = ["~", "$$literal~"] // trailing
}

variable "router" {
  app = { for i, item in "x/y/ze\u0301": 1e3 => true } // trailing

  // a comment
  filter {

    // a comment

    /* a comment */

    /* a comment */
  }
  api = {
    7 : lookup("x/y/z", self.zone.0, 123456789012345678901)[0],
    "a b" = local.policy.0,
    7 = <<-JSON
      
      plain text
      %{ if var.a }yes%{ else }no%{ endif }
      { "json": [1, 2] }
      %{ for x in var.l ~}
      - ${x}
      %{ endfor ~}
      \n not an escape
    JSON
  } /* trailing */
}

resource "azurerm_router" "subnet" {}

resource "random_network" "region" { # open
  stream = [
    [
      local.project_id,
    ],
    azurerm_key.main.web[var.description],
  ] // trailing
  policy = <<POLICY
cost 5$
{ "json": [1, 2] }
# no comment
100%
"quotes"
POLICY
}

output "disk" {
  enabled   = { for k, v in each.key[*].topic[var.each] ? null : 1: 1.5 => 1.5 if x != null } // trailing
  memory = {  }
  a-b = [] /* trailing */
  ttl   = split(self.function.*.name, { v = 3E-2 }, "x" ? data.google_x.stream.id[*].each : 3E-2)

  dynamic "versioning" { # open
    max_size = !path.module[0]["k"]

    condition "router" { # open
      tier = <<-POLICY
        # no comment
          deeper
        ümläut ${~ var.x ~} z
      POLICY
      project_id = toset((
          "@daily"), "" < "日本staging").id /* trailing */
    }

    // a comment
    ttl = {
      pool = [
        (
          123456789012345678901),  // c
        var.policy,  // c
        "${local.queue}${0}"
      ]
      (local.secret) : {
        owner=[0, data.aws_x.version.id.*]
        7=[
          
        ]
        disk=concat(
          "a b c",
          "x",
        )[*].id
      }
      (var.worker[*][*].topic) = "/* no */${~ 42 ~}"
      "x.y/z" = <<-EOT
        ${self.this}
      EOT
    } # trailing
  }
  node = [
    provider::time::parse({
        record = data.vault_x.size.id[count.index][0],
        x = ""
      }, local.image[*].subnet[0]...),
    "prod50%",
    {
      (module.db.policy)=base64encode(
        42,
        1e3
      )[*].id
      "x.y/z" = (
        "").x
      protocol = count.index
      db = { for x in self.node["k"]: 3E-2 => path.module if x != null }
    },
    <<-POLICY
      \n not an escape
      ümläut ${~ var.x ~} z
        deeper
        deeper
    POLICY
  ] // trailing
}


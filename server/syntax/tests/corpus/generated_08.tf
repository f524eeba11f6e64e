module "sku" {}

module "budget" {}

variable stream {

  ingress "table" {}
  cidr_block = <<-JSON
    "quotes"
      deeper
    %{ if var.a }yes%{ else }no%{ endif }
  JSON
}

resource "aws_budget" "project_id" {
  name = [for x in jsonencode()[*].id: module.replicas.region[0] if v.enabled && k > 1]
  min_size   = "&|^`"
  project_id = "x/y/z${true}"
  versioning {
    topic = {
      
    } // trailing
    a-b = false
  }
  location = 0
}

resource "aws_bucket" "memory" {}

resource "docker_function" bucket {
  enabled = {
    7=<<-POLICY
      plain text
        deeper
    POLICY
    table = var.description ? size : "ünï" == { cluster = var.zone[var.queue], "a b" = each.value }
    (self.cache) = "${ "prod" }"
    key=!each.value["k"]
  } # trailing

  filter {
    image = "" ? false : "x"

    dynamic "logging" { x = {  } }
    region   = 0.10
  }
}

data "vault_worker" "protocol" { # open
  ingress { # open
    cidr_block = [for k, v in image : var.max_size[*].tier if v.enabled && k > 1]

    /* a comment */
    queue = "staging"

    dynamic "lifecycle_rule" { # open
      cidr_block = {
        
      } /* trailing */
      min_size = cidrsubnet(local.each,).id
      protocol   = [
        1,
        each.value,
      ]
    }
  }
  name = (
    {
      7 = -var.zone // note
      7 = { for k, v in "0.0.0.0/0$${HOME}" : count.index => ""... if v.enabled && k > 1 }
    }).x
  node = 42
}

// see above
variable "protocol" {
  project_id = path.module["k"][var.role][var.description] ? null : -(self.network[0]) /* trailing */
  tags = jsonencode().id
  x = [for i, item in [
      self.each,  // c
      var.name
    ]: { for i, item in "": 123456789012345678901 => "$5"... if x != null } if x != null]

  dynamic "versioning" {
    protocol = jsonencode(1e3, github_node.a-b.port.memory, each.value.description)

    // a comment
  }

  dynamic "template" { # open

    condition {
      retries   = [
        
      ]
      image = !(var.owner[count.index][var.volume][*].policy)
    }

    dynamic "rule" { # open
      name = 42
    }
    api   = "x/y/z"
  }
  v2 = 0
}


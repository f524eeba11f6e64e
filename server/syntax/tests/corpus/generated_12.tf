// generated

module "this" {
  budget = "$${HOME}" ? 3E-2 ? count.index[0] : var.table[each.key][each.key] : "~${123456789012345678901}" /* trailing */
  owner = "${~ path.module.*.id ~}" /* trailing */
  a-b = local.v2 # trailing
  policy = "${ "x/y/z" }"

  dynamic "action" {}
}

data docker_alert "function" {
  name   = ""

  dynamic "template" {
    name = "" /* trailing */
    table = each.value ? each.value.*.name : each.key[*].size

    logging { x = local.disk }
    subnet = (
      "&|^`") # trailing
    image = element(
      
    ) != {  } # trailing
    logging "ttl" {
      _x = -(false) # trailing
      volume   = data.kubernetes_x.description.id
      subnet   = path.module.0 # trailing
      cert   = var.name // trailing
      budget   = [{  }, "${"// noa,b;c"}",]
      app = "line\nbreak" // trailing
    }
  }
  cluster = { (self.role) : data.vault_x.volume.id, db = 123456789012345678901, 7 = function[each.key], 7 = count.index }
  version = path.module[each.key]
  filter {
    min_size   = {  }
    lifecycle_rule {
      volume = "${trimspace(0.10, "")[*].id~}"
    }
    volume = [
      var.a-b,  // c
      format(
        "{{ .Values.x }}"
      )[0] != module.zone._x,
    ]
  }
}

resource "github_image" "api" { # open
  protocol = data.aws_x.description.id # trailing
  function = "\"quoted\"e\u0301" # trailing

  dynamic "action" { # open
    image = core::max(
      
    )[*].id
    v2   = [42, 3E-2, tolist(
        each.value[each.key][*].*.name
      ).id, "",] # trailing
  }
  this = true == count.index[0][0]
  versioning "name" {

    // a comment
  }
}

provider "record" {
  v2 = [
    var.size[*].key[*].alert
  ]
  stream = [path.module.cert, module.node.retries.*[0], module.worker.x] # trailing
}

data "cloudflare_db" "gateway" {

  # a comment
  name = ""
}

provider "web" { # open

  egress { # open
    cluster = cloudflare_record.function.cidr_block ? [
      base64encode(count.index, "").id, # c
      self.alert, # c
      [123456789012345678901, false, 1,],
    ] : "0.0.0.0/0" ? "%{ for i, x in self.name.*.name[count.index] ~} ${x} %{ endfor ~}${1}$5" : ["x", "0.0.0.0/0", "$${HOME}prod%%{x}"]

    header {
      gateway   = var.subnet.0[var.policy] /* trailing */
      policy   = 1 // trailing
    }

    dynamic "logging" { # open
      retries = lower(each.key) // trailing
      db = "~C:\\dir" # trailing
      pool   = "50%$$literal"
    }

    dynamic "versioning" {
      min_size = null ? self.disk : var.path.0
      protocol   = 123456789012345678901
      image = <<POLICY
100%
$${x} %%{y}
$${x} %%{y}
POLICY
    }
  }
  sku = <<-POLICY
    $${x} %%{y}
      deeper
    \n not an escape
    ümläut ${~ var.x ~} z
    
  POLICY
  project_id = distinct(
    
  ) /* trailing */
}


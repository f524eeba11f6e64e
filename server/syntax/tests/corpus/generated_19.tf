# header comment

# what follows
module "budget" {
  v2 = data.vault_x.app.id[*] /* trailing */
  spec { x = "" }

  // a comment
}

# what follows
resource "cloudflare_node" "alert" {

  dynamic "versioning" {
    memory = cidr_block["k"]

    # a comment
    logging "worker" {
      _x = data.github_x.this.id[*][*].path["k"] # trailing
      name = <<-POLICY
      POLICY
      sku = { for k, v in gateway: 42 => "" }
      disk = null // trailing
      path = "/* no */"
    }
    policy = 1
    secret = false
  }

  dynamic "rule" {

    dynamic "filter" {
      _x = [
        "prodprod",
        0,
        3E-2,
        123456789012345678901
      ]
      node = concat("/* no */#1$5", 1,).id
    }

    versioning {
      sku = null
      port = [
        "",  // c
        region.0[*].path["${var.x}"],  // c
        ""
      ]
    }
    labels = {
      
    } /* trailing */

    # a comment
    retries = 123456789012345678901 // trailing
  }
  subnet = !("// no${"x"}")
  retries = {
    (local.description[each.key]) = local.image,
    (module.timeout.budget) = "e\u0301",
    (local.policy.*[0].0["${var.x}"]) = queue,
    "x.y/z"=true
  } /* trailing */
  size = [for i, item in each.key.*.id: var.volume if x != null]
}


# header comment

// see above
resource "github_volume" "policy" {

  metadata "app" {

    ingress {
      db = { (path.module) = "${ path.module[0].0 }", port = tomap(true, router, local.max_size.0.project_id...)[*].id, 7=split(false,)[0] } /* trailing */
      app = [
        "\"quoted\"日本#1",  // c
        "tab\there",  // c
        false,  // c
        "prod",
      ] # trailing
      region = local.cluster.*.name[count.index]["k"]
      cidr_block = {
        (self.policy) = [
          -(true), # c
          replace(3E-2, bucket.port.*[0], count.index), # c
          distinct(
            "0.0.0.0/00.0.0.0/0",
            count.index,
            cloudflare_key.api.zone_id["k"]
          )[0]
        ],
        enabled = (
          [for i, item in "staging" : 1e3]).x
      }
    }
    main = path.module[var.zone_id]["k"][0] # trailing
    image = { for i, item in true: null => 3E-2 } /* trailing */
    sku = "it's"
    cidr_block = values()
  }
}

/* block */
check "ttl" {

  filter { # open
    size = "it's"

    dynamic rule { # open
      owner = <<-EOT
        100%
        { "json": [1, 2] }
      EOT
      router   = "%{ for i, x in module.stream.cache.*.id.0 ~} ${x} %{ endfor ~}" /* trailing */
      gateway   = 1 /* trailing */
      bucket = "a b c"
      node30   = {
        7 = {
          budget = module.tier.timeout[0]
          7 = 1e3
          "k"=count.index
        }
      }
    }
    worker = {
      "${var.k}"=("").x
      enabled = <<EOF
	 tab
\n not an escape
%{ if var.a }yes%{ else }no%{ endif }
  deeper
EOF
      cidr_block = { (azurerm_volume.subnet.web) = path.module }
    }
    replicas = 123456789012345678901
    function = { 7 = "C:\\dir", "a b" = self.each["${var.x}"] && "$$literal" } <= [
      module.size.name[var.location][0][*].stream ? path.module : "x", # c
      { (module.policy.record[*][0]) = "", cache : "%%{x}" }, # c
      upper(gateway, self.owner, data.github_x.policy.id)
    ] /* trailing */

    timeouts {}
  }
}


/*
 * header
 */

data "kubernetes_pool" "app" {
  image   = data.docker_x.pool.id.*.id[*].region["${var.x}"]
}

output "ttl" {
  min_size   = random_bucket.pool.project_id[var.each].cache[0] # trailing
  alert = (local.main).x /* trailing */

  dynamic "network_interface" {
    router = module.network.cert

    env {
      network = (
        false) /* trailing */
      a-b = each.key[*].timeout
    }
  }

  dynamic "egress" {
    subnet = 1.5 /* trailing */
    _x = [] // trailing
    bucket = <<EOT
"quotes"
	 tab
a ${{  }} b
{ "json": [1, 2] }
plain text
# no comment
EOT
  }

  # a comment
  retries = {  }
}


// see above
resource "docker_stream" "labels" { # open

  dynamic "ingress" {
    bucket = count.index

    dynamic "network_interface" {
      key = "x"
      db = base64encode()
    }
    a-b   = (each.key.0)
    network   = 123456789012345678901 && local.sku[var.budget]

    // a comment

    dynamic rule {
      zone_id = -github_disk.cluster.zone[*]
      key   = -(provider::x::y(3E-2)[*].id)
      labels = "it's${ docker_image.main.budget }// no"
      cidr_block   = self.v["${var.x}"]
      image = merge("prode\u0301"...) # trailing
      name   = [data.vault_x.each.id[*].network["k"]] /* trailing */
    }
  }
}

/* block */
resource "random_pool" "network" {
  cluster   = retries /* trailing */
  node = var.ttl

  dynamic "network_interface" { # open
    logging {
      this = cidrsubnet(upper(
          
        )[0], data.random_x.labels.id)
      table = {
        7 = 0.10
        (count.index.policy[*].cidr_block) = node["${var.x}"]
        (self.cluster["${var.x}"])=enabled
        node=self.image
      } /* trailing */
      record = "50%$$literal"
      db = !("") // trailing
      image = 0
    }
  }
  network   = "0.0.0.0/0"
  retries = self.retries[*].owner /* trailing */
  api = v[*]
}

module "labels" {

  metadata "network" { # open
    location = format(
      
    )[0]
  }
  location = "${ 3E-2 }" /* trailing */
}


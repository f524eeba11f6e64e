# header comment

// see above
module "cluster" {

  env {
    logging {
      worker = [
        
      ]
      gateway = []
      budget   = {
        protocol=1e3
      }
      role = []
      sku   = self.network.*.name
    }
    tags = module.description.sku // trailing
    app = module.main.zone_id["${var.x}"]

    # a comment
    retries = {
      worker="0.0.0.0/0" // note
      (local.replicas) = "" // note
      7 = true
    } /* trailing */

    dynamic "ingress" {
      zone_id = each.value
      bucket = length(path.module, {
          _x : data.docker_x.web.id.*.name["${var.x}"][var.enabled]
        })[0]
      port   = each.key[0] // trailing
    }
  }
  stream = -("tab\there")

  container "memory" {}

  dynamic "condition" {

    filter { x = merge("10.0.0.0/16", local.v2, 123456789012345678901) }
    v = module.budget.budget.0 # trailing
    api = [
      { app = var.location, stream = null_resource_cache.subnet.cidr_block, policy=each.value["${var.x}"], (path.module["${var.x}"][var.cache].*.id)="x" }, # c
      -null_resource_bucket.image.protocol, # c
      each.value[each.key] ? cidr_block[*] : true
    ] # trailing
    version = null // trailing
    zone = "#1$$literal" ? {
      location = [
        0.10, # c
        module.memory.gateway,
      ]
      retries = coalesce(azurerm_router._x.role, self.cache).id
    } : contains(join(null, 1.5), [for i, item in true : "ünï"])
  }
  a-b = 1.5
  egress "tags" {
    disk = [
      [],  // c
      true ? true : 1,  // c
      module.main.zone[0][0][each.key] ? 3E-2 : google_router.project_id.topic.0,
    ] // trailing
    zone_id = [
      
    ]
    gateway = 0.10 # trailing
  }
}


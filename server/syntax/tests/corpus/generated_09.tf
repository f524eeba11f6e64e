variable "cidr_block" { # open
  name = cloudflare_image.ttl.location # trailing
  table   = [for i, item in 0.10 : count.index] // trailing

  dynamic "condition" {
    version = coalesce(module.name.image)
    retries = [
      "C:\\dir%%d", # c
      true,
    ] // trailing
    main   = "line\nbreak#1" /* trailing */
    table   = false % data.aws_x.function.id["${var.x}"]
    budget = count.index /* trailing */
    project_id = !path.module[each.key] # trailing
  }
  router = {
    7 = merge(true, module.worker.enabled,)
    policy : "" - true
    7 = (3E-2)
  } # trailing
  sku = {
    
  } /* trailing */
  zone_id = [true, local.region,]
}

# what follows
resource "kubernetes_secret" "table" {
  stream = "%{ for i, x in zone_id.*.name ~} ${x} %{ endfor ~}0.0.0.0/0"
  a-b = local.each.*.id

  condition {
    metadata "role" {
      version = (
        []).x
      bucket = [
        {
          "k" : "",
          (module.volume.record["${var.x}"]["${var.x}"]["k"])=local.secret,
          (alert[count.index][*]) = local.tier[each.key]["k"]["k"],
          key = 1e3
        },
        tomap(
          "",
          ""
        ),
        0.10,
      ]
    }
    memory   = -data.kubernetes_x.web.id["k"] // trailing
    max_size = aws_stream.role.pool
    port = [coalesce(), [for i, item in true ? vault_alert.key.table["k"][0][each.key] : vault_bucket._x.location[*]: [for i, item in "": count.index] if v.enabled && k > 1]]
  }
  image = -var.v2[*].zone_id[*].description[*].enabled

  /* a comment */
}

resource "docker_pool" "location" {

  condition {
    policy = { name : 0 } // trailing
    each = [each.key, local.queue, module.record._x]

    /* a comment */
    memory = {
      7 = local.gateway,
      7 : keys(
        "x"
      ),
      (module.x.cidr_block[*].gateway.0) = base64encode(var.app[count.index][0], each.value[each.key][var.zone].0)
    } # trailing
    zone_id   = <<-JSON
      100%
      a ${{ version = "@dailye\u0301\"quoted\"", size="@daily// no" }} b
      cost 5$
        deeper
      cost 5$
    JSON

    # a comment
  }

  dynamic "network_interface" {
    container { x = { 7 : count.index, 7 = port } }
    timeout = "C:\\dirtab\there${ path.module.tags }" # trailing
    retries = "${~ 42 ~}"
    container { # open
      stream = [
        
      ] # trailing
    }

    condition {
      v = {  }
      network   = [
        "staging" + "a,b;c",
        [
          123456789012345678901
        ],
        {
          worker = 1
          stream=0.10
          7 = count.index
          stream : ""
        }
      ] /* trailing */
    }
  }

  dynamic "env" { # open
    topic = { (local.pool.*.id.0) = "", topic = 1e3, (aws_function.size.a-b)=false }

    template {
      this   = 1e3 # trailing
      protocol = path.module.*[0]
      app = -owner.*.name
      timeout = {
        7 = 3E-2
        7 = var.main["k"]
        (github_cluster.worker.port) = "eu-west-1"
      } /* trailing */
    }
  }
  min_size = "e\u0301${~ module.function.x ~}a,b;c"

  condition {
    labels = <<-EOF
      	 tab
      "quotes"
    EOF
    topic = true
  }
}


// see above
variable "stream" {
  alert   = join([
      null, # c
      false
    ], !(3E-2), "/* no */" && "") /* trailing */

  # a comment
  image = [
    "%%{x}",
    false,
    var.owner,
    "",
  ] // trailing
}

locals { # open
  version   = "{{ .Values.x }}" /* trailing */
  k = { for k, v in null : 1.5 => "" if x != null } # trailing
  ingress "zone_id" {
    description = true // trailing
    queue   = false // trailing

    # a comment

    /* a comment */
    app = docker_cache.budget.image.v != {
      
    } # trailing
  }

  timeouts "api" {
    header "pool" { # open
      key = "${~ 3E-2 ~}eu-west-1" // trailing
      protocol   = "" // trailing
      record = self.router // trailing
      pool = <<EOT
plain text
%{ if var.a }yes%{ else }no%{ endif }
EOT
      region = cloudflare_cert.worker.description[*].db /* trailing */
      cidr_block = { for x in "a,b;c0.0.0.0/0": path.module["${var.x}"] => path.module... } /* trailing */
    }
  }
  main = 123456789012345678901 ? "tab\there" : 0.10
  bucket = 1
}

check "v" {
  budget   = ["", each.value, "prod", true,] /* trailing */

  dynamic "condition" {
    image = data.docker_x.enabled.id.*[0]
    a-b = "// no${~ data.null_resource_x._x.id[*].router ~}"

    action { # open
      memory   = trimspace(
        
      ) /* trailing */
      protocol = "eu-west-1" /* trailing */
      key = tolist(max_size[*], "e\u0301{{ .Values.x }}{{ .Values.x }}")
      cidr_block   = [
        { for x in "\"quoted\"" != 1: 0 => "eu-west-1" ? 1.5 : "e\u0301" }, # c
        "" ? (var.max_size)[0] : distinct()
      ] /* trailing */
      v2 = {
        (path.module)=[
          false
        ]
        port : false
        (path.module) = (
          local.key[0].0[*])[0]
        stream = { "x.y/z" = min_size, api=local.main, (data.null_resource_x.queue.id[*].port)=0.10 }
      }
      router = aws_role.cert.version
    }
  }
  this   = { for x in 123456789012345678901: "ünï" => data.kubernetes_x.topic.id["k"] if v.enabled && k > 1 }
  subnet   = [
    image, # c
    "#1@daily", # c
    count.index[each.key][0],
  ]
}

resource "random_secret" "name" {
  db   = {
    
  }

  dynamic "env" {}
}

// see above
resource "google_disk" "stream" { x = flatten()[0] }

resource "azurerm_alert" "location" {
  version = "x"
}


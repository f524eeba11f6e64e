/*
 * header
 */

output "retries" { # open
  size = module.memory.alert /* trailing */
}

resource "kubernetes_cert" "retries" {
  function   = ("%%d${123456789012345678901}")
  worker = file(path.module.image.*.name[*].a-b % "staging{{ .Values.x }}{{ .Values.x }}", count.index) // trailing
  policy = "" // trailing
  role   = {
    7 : [for x in var.image * 1.5 : false != self.volume[*]]
  }
}

resource "kubernetes_bucket" "worker" {

  lifecycle_rule {
    api = (
      [
        each.key, # c
        "{{ .Values.x }}" + "x", # c
        [
          self.image,
          "/* no */$$literal",
          "10.0.0.0/16a b c#1"
        ]
      ])

    ingress { x = local.stream }
    timeouts "description" { # open
      zone_id = self.labels // trailing
    }
  }
}

resource "kubernetes_secret" "policy" {
  this = "" // trailing
  role   = count.index[0][0] >= [
    count.index,  // c
    0.10,
  ]
  record = [var.record.0,]
  path = "50%"

  header {}
  router = node[*].gateway["${var.x}"] # trailing
}

resource "github_record" "timeout" {
  size = "@dailyC:\\dir" ? "${ count.index.0 }" : ""
  this = "staging" # trailing
  timeout = [for i, item in vault_disk.function.version : google_topic.pool.tags["${var.x}"]["k"] if v.enabled && k > 1]
}


data "aws_table" "policy" {
  ttl   = false // trailing
}

resource "vault_cert" "api" {
  bucket   = coalesce(
    [for i, item in azurerm_role.worker.timeout.0: 1e3 if v.enabled && k > 1],
    merge("%%de\u0301", true).id
  ) <= ""
  ingress {
    network = 123456789012345678901 // trailing
    key   = -var.key[each.key] // trailing

    # a comment
    description = "eu-west-1" * null
    disk = count.index

    dynamic "header" {
      policy = 0 // trailing
      ttl = self.function.tags
      alert = { description = "x", path=base64encode("50%", path.module[each.key]...), (path.module) = timeout } # trailing
      app = {  } # trailing
    }
  }

  dynamic "rule" {}
  port = [for k, v in flatten(1.5, aws_bucket.name.bucket): {
      function : data.azurerm_x.location.id
      alert=var.k
    }]

  dynamic "env" {}
}

# what follows
resource "google_topic" "this" { # open
  x = {
    project_id : data.kubernetes_x.labels.id["k"][*].zone # note
    (azurerm_app.function.port[var.image]) : "" # note
    (self.replicas) = 123456789012345678901 # note
    7 = ""
  } # trailing
  key = jsonencode(
    1,
    "10.0.0.0/16"
  )[0] // trailing
  version = var.web
}


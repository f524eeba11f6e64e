variable "activate_apis" {
  type    = list(string)
  default = ["compute.googleapis.com", "container.googleapis.com"]
}

variable "bindings" {
  type    = map(list(string))
  default = { "roles/viewer" = ["group:a@example.com", "user:b@example.com"] }
}

variable "org_id" {
  default = null
}

variable "folder_id" {
  default = ""
}

variable "budget" {
  type    = object({ amount = number, thresholds = optional(list(number), [0.5, 1]) })
  default = { amount = 100 }
}

locals {
  project_id = format("%s-%s", "proj", "x")
  flat       = flatten([for role, members in var.bindings : [for m in members : { role = role, member = m }]])
  bindings   = { for b in local.flat : "${b.role} ${b.member}" => b }
  base       = regex("^(?P<name>[a-z]+)-(?P<n>\\d+)$", "proj-12")
  services   = toset(setunion(var.activate_apis, ["iam.googleapis.com"]))
}

resource "google_project" "main" {
  name                = "proj"
  project_id          = local.project_id
  org_id              = var.folder_id == "" ? var.org_id : null
  folder_id           = var.folder_id != "" ? var.folder_id : null
  billing_account     = data.google_billing_account.this.id
  auto_create_network = false
  labels              = { n = local.base.n }
}

data "google_billing_account" "this" {
  display_name = "x"
  open         = true
}

resource "google_project_service" "this" {
  for_each                   = local.services
  project                    = google_project.main.project_id
  service                    = each.value
  disable_dependent_services = true
}

resource "google_project_iam_member" "this" {
  for_each = local.bindings
  project  = google_project.main.project_id
  role     = each.value.role
  member   = each.value.member
  dynamic "condition" {
    for_each = startswith(each.value.member, "user:") ? [1] : []
    content {
      title      = "t"
      expression = "request.time < timestamp(\"2030-01-01T00:00:00Z\")"
    }
  }
}

resource "google_service_account" "default" {
  account_id = "project-service-account"
  project    = google_project.main.project_id
}

resource "google_billing_budget" "this" {
  billing_account = data.google_billing_account.this.id
  budget_filter {
    projects = ["projects/${google_project.main.number}"]
  }
  amount {
    specified_amount {
      units = tostring(var.budget.amount)
    }
  }
  dynamic "threshold_rules" {
    for_each = var.budget.thresholds
    content {
      threshold_percent = threshold_rules.value
    }
  }
}

resource "google_storage_bucket" "state" {
  name     = "${google_project.main.project_id}-state"
  project  = google_project.main.project_id
  location = upper("eu")
  versioning {
    enabled = true
  }
  dynamic "lifecycle_rule" {
    for_each = [{ action = { type = "Delete" }, condition = { age = 30, with_state = "ARCHIVED" } }]
    content {
      action {
        type          = lifecycle_rule.value.action.type
        storage_class = lookup(lifecycle_rule.value.action, "storage_class", null)
      }
      condition {
        age        = lookup(lifecycle_rule.value.condition, "age", null)
        with_state = lookup(lifecycle_rule.value.condition, "with_state", contains(keys(lifecycle_rule.value.condition), "is_live") ? "LIVE" : null)
      }
    }
  }
}

resource "google_compute_shared_vpc_service_project" "this" {
  count           = 1
  host_project    = "host"
  service_project = google_project.main.project_id
  depends_on      = [google_project_service.this["compute.googleapis.com"]]
}

output "number" {
  value      = google_project.main.number
  depends_on = [google_project_service.this]
}

output "sa" {
  value = google_service_account.default.email
}

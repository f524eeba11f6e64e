terraform {
  required_version = ">= 1.5"
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

variable "functions" {
  type = map(object({
    entry   = string
    memory  = optional(string, "256Mi")
    secrets = optional(set(string), [])
  }))
  default = { hello = { entry = "hello", secrets = ["token"] } }
}

variable "project" {
  type    = string
  default = "demo"
}

provider "google" {
  project = var.project
  region  = "europe-west1"
}

locals {
  secrets = toset(flatten([for it in var.functions : tolist(it.secrets)]))
  grants  = { for pair in setproduct(keys(var.functions), local.secrets) : "${pair[0]}/${pair[1]}" => { function = pair[0], secret = pair[1] } }
}

resource "google_project_service" "this" {
  for_each           = toset(["cloudfunctions", "run", "secretmanager"])
  service            = "${each.value}.googleapis.com"
  disable_on_destroy = false
}

resource "google_storage_bucket" "code" {
  name                        = "${var.project}-code"
  location                    = "EU"
  uniform_bucket_level_access = true
  versioning {
    enabled = true
  }
  lifecycle_rule {
    action {
      type = "Delete"
    }
    condition {
      num_newer_versions = 3
    }
  }
}

resource "google_storage_bucket_object" "code" {
  for_each = var.functions
  name     = "${each.key}.zip"
  bucket   = google_storage_bucket.code.name
  source   = "code.zip"
}

resource "google_service_account" "this" {
  for_each   = var.functions
  account_id = "fn-${each.key}"
}

resource "google_secret_manager_secret" "this" {
  for_each  = local.secrets
  secret_id = each.value
  replication {
    auto {}
  }
  depends_on = [google_project_service.this]
}

resource "google_secret_manager_secret_iam_member" "this" {
  for_each  = local.grants
  secret_id = google_secret_manager_secret.this[each.value.secret].id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.this[each.value.function].member
}

resource "google_cloudfunctions2_function" "this" {
  for_each = var.functions
  name     = each.key
  location = "europe-west1"
  build_config {
    runtime     = "python312"
    entry_point = each.value.entry
    source {
      storage_source {
        bucket = google_storage_bucket.code.name
        object = google_storage_bucket_object.code[each.key].name
      }
    }
  }
  service_config {
    available_memory      = each.value.memory
    service_account_email = google_service_account.this[each.key].email
    dynamic "secret_environment_variables" {
      for_each = each.value.secrets
      content {
        key        = upper(secret_environment_variables.value)
        project_id = var.project
        secret     = google_secret_manager_secret.this[secret_environment_variables.key].secret_id
        version    = "latest"
      }
    }
  }
}

resource "google_cloud_run_service_iam_member" "public" {
  for_each = google_cloudfunctions2_function.this
  location = each.value.location
  service  = each.value.name
  role     = "roles/run.invoker"
  member   = "allUsers"
}

resource "google_cloud_scheduler_job" "this" {
  count    = length(var.functions) > 0 ? 1 : 0
  name     = "hourly"
  schedule = "0 * * * *"
  http_target {
    http_method = "POST"
    uri         = values(google_cloudfunctions2_function.this)[0].url
    oidc_token {
      service_account_email = values(google_service_account.this)[0].email
    }
  }
}

output "urls" {
  value = { for name, it in google_cloudfunctions2_function.this : name => it.service_config[0].uri }
}

output "job" {
  value = google_cloud_scheduler_job.this[*].id
}

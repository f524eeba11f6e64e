terraform {
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 6.0"
    }
  }
}

variable "project" {
  type    = string
  default = "example"
}

variable "region" {
  type    = string
  default = "europe-west1"
}

provider "google" {
  project = var.project
  region  = var.region
}

variable "buckets" {
  type = map(object({
    class    = optional(string, "STANDARD")
    age      = optional(number)
    versions = optional(bool, false)
    readers  = optional(set(string), [])
  }))
  default = {
    raw    = { age = 30 }
    public = { versions = true, readers = ["allUsers"] }
  }
}

locals {
  readers = merge([
    for name, it in var.buckets : { for reader in it.readers : "${name} ${reader}" => { bucket = name, reader = reader } }
  ]...)
}

resource "google_storage_bucket" "this" {
  for_each                    = var.buckets
  name                        = "${var.project}-${each.key}"
  location                    = "EU"
  storage_class               = each.value.class
  uniform_bucket_level_access = true

  versioning {
    enabled = each.value.versions
  }

  dynamic "lifecycle_rule" {
    for_each = each.value.age[*]
    content {
      action {
        type = "Delete"
      }
      condition {
        age = lifecycle_rule.value
      }
    }
  }
}

resource "google_storage_bucket_iam_member" "reader" {
  for_each = local.readers
  bucket   = google_storage_bucket.this[each.value.bucket].name
  role     = "roles/storage.objectViewer"
  member   = each.value.reader
}

resource "google_pubsub_topic" "changes" {
  name = "changes"
}

data "google_storage_project_service_account" "this" {}

resource "google_pubsub_topic_iam_binding" "publisher" {
  topic   = google_pubsub_topic.changes.id
  role    = "roles/pubsub.publisher"
  members = ["serviceAccount:${data.google_storage_project_service_account.this.email_address}"]
}

resource "google_storage_notification" "this" {
  bucket         = google_storage_bucket.this["raw"].name
  payload_format = "JSON_API_V1"
  topic          = google_pubsub_topic.changes.id
  event_types    = ["OBJECT_FINALIZE"]
  depends_on     = [google_pubsub_topic_iam_binding.publisher]
}

output "urls" {
  value = [for it in google_storage_bucket.this : it.url]
}

terraform {
  required_version = ">= 1.5"
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

variable "topics" {
  type    = map(list(string))
  default = { orders = ["billing", "mail"], clicks = ["stats"] }
}

variable "dead_letters" {
  type    = bool
  default = true
}

provider "google" {
  project = "demo"
}

data "google_project" "this" {}

locals {
  subscriptions = merge([for topic, names in var.topics : { for name in names : "${topic}.${name}" => topic }]...)
  agent         = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}

resource "google_pubsub_schema" "this" {
  name       = "event"
  type       = "AVRO"
  definition = jsonencode({ type = "record", name = "Event", fields = [{ name = "id", type = "string" }] })
}

resource "google_pubsub_topic" "dead" {
  count = var.dead_letters ? 1 : 0
  name  = "dead"
}

resource "google_pubsub_topic" "this" {
  for_each                   = var.topics
  name                       = each.key
  message_retention_duration = "86600s"
  schema_settings {
    schema   = google_pubsub_schema.this.id
    encoding = "JSON"
  }
  message_storage_policy {
    allowed_persistence_regions = ["europe-west1"]
  }
}

resource "google_pubsub_subscription" "this" {
  for_each             = local.subscriptions
  name                 = each.key
  topic                = google_pubsub_topic.this[each.value].id
  ack_deadline_seconds = 20
  expiration_policy {
    ttl = ""
  }
  retry_policy {
    minimum_backoff = "10s"
  }
  dynamic "dead_letter_policy" {
    for_each = google_pubsub_topic.dead[*].id
    content {
      dead_letter_topic     = dead_letter_policy.value
      max_delivery_attempts = 5
    }
  }
}

resource "google_pubsub_topic_iam_member" "dead" {
  count  = length(google_pubsub_topic.dead)
  topic  = google_pubsub_topic.dead[count.index].name
  role   = "roles/pubsub.publisher"
  member = local.agent
}

resource "google_pubsub_subscription_iam_binding" "this" {
  for_each     = google_pubsub_subscription.this
  subscription = each.value.name
  role         = "roles/pubsub.subscriber"
  members      = [local.agent]
}

resource "google_cloud_tasks_queue" "this" {
  name     = "retries"
  location = "europe-west1"
  rate_limits {
    max_concurrent_dispatches = 3
  }
  retry_config {
    max_attempts = 5
  }
}

resource "google_monitoring_alert_policy" "dead" {
  count        = var.dead_letters ? 1 : 0
  display_name = "Dead letters"
  combiner     = "OR"
  conditions {
    display_name = "Messages in ${google_pubsub_topic.dead[0].name}"
    condition_threshold {
      filter          = "resource.type = \"pubsub_topic\""
      comparison      = "COMPARISON_GT"
      duration        = "60s"
      threshold_value = 0
      aggregations {
        alignment_period   = "60s"
        per_series_aligner = "ALIGN_RATE"
      }
    }
  }
  notification_channels = google_monitoring_notification_channel.mail[*].id
}

resource "google_monitoring_notification_channel" "mail" {
  count        = var.dead_letters ? 1 : 0
  display_name = "Mail"
  type         = "email"
  labels = {
    email_address = "a@example.com"
  }
}

output "topics" {
  value = [for it in google_pubsub_topic.this : it.id]
}

output "dead" {
  value = try(google_pubsub_topic.dead[0].effective_labels, {})
}

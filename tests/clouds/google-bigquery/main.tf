terraform {
  required_version = ">= 1.5"
  required_providers {
    google = {
      source = "hashicorp/google"
    }
  }
}

variable "datasets" {
  type = map(object({
    location = optional(string, "EU")
    readers  = optional(list(string), [])
    tables   = optional(map(string), {})
  }))
  default = {
    raw   = { tables = { events = "day" } }
    clean = { readers = ["a@example.com"], tables = { users = "" } }
  }
}

variable "encrypt" {
  type    = bool
  default = false
}

provider "google" {
  project = "demo"
  region  = "europe-west1"
}

locals {
  tables = { for it in flatten([
    for dataset, d in var.datasets : [for name, by in d.tables : { dataset = dataset, name = name, by = by }]
  ]) : "${it.dataset}.${it.name}" => it }
}

resource "google_kms_key_ring" "this" {
  count    = var.encrypt ? 1 : 0
  name     = "data"
  location = "europe"
}

resource "google_kms_crypto_key" "this" {
  count           = var.encrypt ? 1 : 0
  name            = "data"
  key_ring        = google_kms_key_ring.this[0].id
  rotation_period = "7776000s"
}

resource "google_bigquery_dataset" "this" {
  for_each                   = var.datasets
  dataset_id                 = each.key
  location                   = each.value.location
  delete_contents_on_destroy = true
  dynamic "default_encryption_configuration" {
    for_each = google_kms_crypto_key.this
    content {
      kms_key_name = default_encryption_configuration.value.id
    }
  }
  access {
    role          = "OWNER"
    special_group = "projectOwners"
  }
  dynamic "access" {
    for_each = toset(each.value.readers)
    content {
      role          = "READER"
      user_by_email = access.value
    }
  }
}

resource "google_bigquery_table" "this" {
  for_each            = local.tables
  dataset_id          = google_bigquery_dataset.this[each.value.dataset].dataset_id
  table_id            = each.value.name
  deletion_protection = false
  schema              = jsonencode([{ name = "id", type = "STRING" }, { name = "at", type = "TIMESTAMP" }])
  dynamic "time_partitioning" {
    for_each = each.value.by == "" ? [] : [each.value.by]
    content {
      type  = upper(time_partitioning.value)
      field = "at"
    }
  }
  lifecycle {
    ignore_changes = [schema]
  }
}

resource "google_service_account" "loader" {
  account_id   = "loader"
  display_name = "Loads tables"
}

resource "google_bigquery_dataset_iam_member" "loader" {
  for_each   = google_bigquery_dataset.this
  dataset_id = each.value.dataset_id
  role       = "roles/bigquery.dataEditor"
  member     = google_service_account.loader.member
}

resource "google_bigquery_data_transfer_config" "this" {
  display_name           = "daily"
  data_source_id         = "scheduled_query"
  schedule               = "every 24 hours"
  location               = google_bigquery_dataset.this["clean"].location
  destination_dataset_id = google_bigquery_dataset.this["clean"].dataset_id
  service_account_name   = google_service_account.loader.email
  params = {
    query                           = "select 1"
    write_disposition               = "WRITE_TRUNCATE"
    destination_table_name_template = "t"
  }
}

resource "google_bigquery_routine" "this" {
  dataset_id      = google_bigquery_dataset.this["raw"].dataset_id
  routine_id      = "double"
  routine_type    = "SCALAR_FUNCTION"
  language        = "SQL"
  definition_body = "x * 2"
  arguments {
    name      = "x"
    data_type = jsonencode({ typeKind = "INT64" })
  }
}

output "links" {
  value = { for name, it in google_bigquery_table.this : name => it.self_link }
}

output "key" {
  value = one(google_kms_crypto_key.this[*].id)
}

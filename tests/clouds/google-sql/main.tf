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

variable "databases" {
  type    = set(string)
  default = ["orders", "stock"]
}

variable "flags" {
  type    = map(string)
  default = { log_min_duration_statement = "500" }
}

resource "google_compute_global_address" "peering" {
  name          = "peering"
  purpose       = "VPC_PEERING"
  address_type  = "INTERNAL"
  prefix_length = 16
  network       = "projects/${var.project}/global/networks/main"
}

resource "google_service_networking_connection" "this" {
  network                 = google_compute_global_address.peering.network
  service                 = "servicenetworking.googleapis.com"
  reserved_peering_ranges = [google_compute_global_address.peering.name]
}

resource "google_sql_database_instance" "this" {
  name             = "main"
  database_version = "POSTGRES_16"
  region           = var.region

  settings {
    tier              = "db-custom-2-7680"
    availability_type = "REGIONAL"
    disk_autoresize   = true

    ip_configuration {
      ipv4_enabled    = false
      private_network = google_compute_global_address.peering.network
    }

    backup_configuration {
      enabled                        = true
      point_in_time_recovery_enabled = true
      backup_retention_settings {
        retained_backups = 14
      }
    }

    dynamic "database_flags" {
      for_each = var.flags
      content {
        name  = database_flags.key
        value = database_flags.value
      }
    }
  }

  depends_on = [google_service_networking_connection.this]
}

resource "google_sql_database" "this" {
  for_each = var.databases
  name     = each.value
  instance = google_sql_database_instance.this.name
}

output "connection" {
  value = google_sql_database_instance.this.connection_name
}

output "address" {
  value = google_sql_database_instance.this.private_ip_address
}

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

variable "pools" {
  type = map(object({
    machine = optional(string, "e2-standard-4")
    least   = optional(number, 1)
    most    = optional(number, 3)
    taints  = optional(map(string), {})
  }))
  default = { work = {} }
}

resource "google_service_account" "nodes" {
  account_id   = "nodes"
  display_name = "Nodes of the cluster"
}

resource "google_project_iam_member" "nodes" {
  for_each = toset(["roles/logging.logWriter", "roles/monitoring.metricWriter"])
  project  = var.project
  role     = each.value
  member   = google_service_account.nodes.member
}

resource "google_container_cluster" "this" {
  name                     = "main"
  location                 = var.region
  network                  = "main"
  subnetwork               = "main"
  remove_default_node_pool = true
  initial_node_count       = 1
  deletion_protection      = false

  ip_allocation_policy {
    cluster_secondary_range_name  = "pods"
    services_secondary_range_name = "services"
  }

  private_cluster_config {
    enable_private_nodes    = true
    enable_private_endpoint = false
    master_ipv4_cidr_block  = "172.16.0.0/28"
  }

  workload_identity_config {
    workload_pool = "${var.project}.svc.id.goog"
  }

  release_channel {
    channel = "REGULAR"
  }

  maintenance_policy {
    daily_maintenance_window {
      start_time = "03:00"
    }
  }
}

resource "google_container_node_pool" "this" {
  for_each = var.pools
  name     = each.key
  cluster  = google_container_cluster.this.id

  autoscaling {
    min_node_count = each.value.least
    max_node_count = each.value.most
  }

  node_config {
    machine_type    = each.value.machine
    service_account = google_service_account.nodes.email
    oauth_scopes    = ["https://www.googleapis.com/auth/cloud-platform"]
    labels          = { pool = each.key }

    dynamic "taint" {
      for_each = each.value.taints
      content {
        key    = taint.key
        value  = taint.value
        effect = "NO_SCHEDULE"
      }
    }
  }

  management {
    auto_repair  = true
    auto_upgrade = true
  }
}

output "endpoint" {
  value = google_container_cluster.this.endpoint
}

output "certificate" {
  value     = base64decode(google_container_cluster.this.master_auth[0].cluster_ca_certificate)
  sensitive = true
}

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

variable "zones" {
  type    = list(string)
  default = ["b", "c"]
}

data "google_compute_image" "debian" {
  family  = "debian-12"
  project = "debian-cloud"
}

resource "google_compute_instance_template" "this" {
  name_prefix  = "web-"
  machine_type = "e2-small"
  tags         = ["web"]

  disk {
    source_image = data.google_compute_image.debian.self_link
    auto_delete  = true
    boot         = true
  }

  network_interface {
    network = "main"
    access_config {}
  }

  metadata = {
    startup-script = file("${path.module}/start.sh")
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "google_compute_health_check" "this" {
  name               = "web"
  check_interval_sec = 5
  http_health_check {
    port         = 8080
    request_path = "/healthy"
  }
}

resource "google_compute_region_instance_group_manager" "this" {
  name                      = "web"
  base_instance_name        = "web"
  region                    = var.region
  target_size               = length(var.zones)
  distribution_policy_zones = [for zone in var.zones : "${var.region}-${zone}"]

  version {
    instance_template = google_compute_instance_template.this.id
  }

  named_port {
    name = "http"
    port = 8080
  }

  auto_healing_policies {
    health_check      = google_compute_health_check.this.id
    initial_delay_sec = 60
  }
}

resource "google_compute_backend_service" "this" {
  name                  = "web"
  load_balancing_scheme = "EXTERNAL_MANAGED"
  health_checks         = [google_compute_health_check.this.id]
  backend {
    group           = google_compute_region_instance_group_manager.this.instance_group
    balancing_mode  = "UTILIZATION"
    max_utilization = 0.8
  }
}

resource "google_compute_url_map" "this" {
  name            = "web"
  default_service = google_compute_backend_service.this.id
}

resource "google_compute_target_http_proxy" "this" {
  name    = "web"
  url_map = google_compute_url_map.this.id
}

resource "google_compute_global_forwarding_rule" "this" {
  name                  = "web"
  target                = google_compute_target_http_proxy.this.id
  port_range            = "80"
  load_balancing_scheme = google_compute_backend_service.this.load_balancing_scheme
}

output "address" {
  value = google_compute_global_forwarding_rule.this.ip_address
}

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

variable "subnets" {
  type = map(object({
    cidr      = string
    secondary = optional(map(string), {})
    private   = optional(bool, true)
  }))
  default = {
    main = { cidr = "10.0.0.0/20", secondary = { pods = "10.4.0.0/14", services = "10.8.0.0/20" } }
  }
}

resource "google_compute_network" "this" {
  name                    = "main"
  auto_create_subnetworks = false
  routing_mode            = "GLOBAL"
}

resource "google_compute_subnetwork" "this" {
  for_each                 = var.subnets
  name                     = each.key
  network                  = google_compute_network.this.id
  region                   = var.region
  ip_cidr_range            = each.value.cidr
  private_ip_google_access = each.value.private

  dynamic "secondary_ip_range" {
    for_each = each.value.secondary
    content {
      range_name    = secondary_ip_range.key
      ip_cidr_range = secondary_ip_range.value
    }
  }

  log_config {
    aggregation_interval = "INTERVAL_10_MIN"
    flow_sampling        = 0.5
  }
}

resource "google_compute_router" "this" {
  name    = "router"
  network = google_compute_network.this.name
  region  = var.region
  bgp {
    asn = 64514
  }
}

resource "google_compute_router_nat" "this" {
  name                               = "nat"
  router                             = google_compute_router.this.name
  region                             = google_compute_router.this.region
  nat_ip_allocate_option             = "AUTO_ONLY"
  source_subnetwork_ip_ranges_to_nat = "ALL_SUBNETWORKS_ALL_IP_RANGES"
}

resource "google_compute_firewall" "ssh" {
  name          = "allow-iap-ssh"
  network       = google_compute_network.this.self_link
  source_ranges = ["35.235.240.0/20"]
  allow {
    protocol = "tcp"
    ports    = ["22"]
  }
}

output "subnets" {
  value = { for name, it in google_compute_subnetwork.this : name => it.self_link }
}

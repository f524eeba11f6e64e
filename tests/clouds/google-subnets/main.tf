terraform {
  required_version = ">= 1.5"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 6.0"
    }
  }
}


variable "subnets" {
  type = list(object({
    subnet_name               = string
    subnet_ip                 = string
    subnet_region             = string
    subnet_private_access     = optional(string, "false")
    subnet_flow_logs          = optional(string, "false")
    subnet_flow_logs_interval = optional(string, "INTERVAL_5_SEC")
    purpose                   = optional(string)
  }))
  default = [
    { subnet_name = "a", subnet_ip = "10.0.0.0/24", subnet_region = "europe-west1" },
    { subnet_name = "b", subnet_ip = "10.1.0.0/24", subnet_region = "europe-west4", subnet_flow_logs = "true" },
  ]
}

variable "secondary_ranges" {
  type    = map(list(object({ range_name = string, ip_cidr_range = string })))
  default = { a = [{ range_name = "pods", ip_cidr_range = "192.168.0.0/18" }] }
}

variable "routes" {
  type    = list(map(string))
  default = [{ name = "egress", destination_range = "0.0.0.0/0", tags = "egress,inet", next_hop_internet = "true" }]
}

variable "rules" {
  type = list(object({
    name      = string
    direction = optional(string, "INGRESS")
    ranges    = optional(list(string))
    allow = optional(list(object({
      protocol = string
      ports    = optional(list(string))
    })), [])
    log_config = optional(object({ metadata = string }))
  }))
  default = [{ name = "ssh", ranges = ["10.0.0.0/8"], allow = [{ protocol = "tcp", ports = ["22"] }] }]
}

locals {
  subnets = { for x in var.subnets : "${x.subnet_region}/${x.subnet_name}" => x }
  routes  = { for i, route in var.routes : lookup(route, "name", format("%s-%s-%d", lower("net"), "route", i)) => route }
}

provider "google" {
  project = "acme"
  region  = "europe-west1"
}

resource "google_compute_network" "network" {
  name                    = "net"
  auto_create_subnetworks = false
  routing_mode            = "GLOBAL"
}

resource "google_compute_subnetwork" "subnetwork" {
  for_each                 = local.subnets
  name                     = each.value.subnet_name
  ip_cidr_range            = each.value.subnet_ip
  region                   = each.value.subnet_region
  private_ip_google_access = lookup(each.value, "subnet_private_access", "false")
  network                  = google_compute_network.network.name
  purpose                  = each.value.purpose

  dynamic "log_config" {
    for_each = coalesce(lookup(each.value, "subnet_flow_logs", null), false) ? [{
      aggregation_interval = each.value.subnet_flow_logs_interval
      flow_sampling        = "0.5"
    }] : []
    content {
      aggregation_interval = log_config.value.aggregation_interval
      flow_sampling        = log_config.value.flow_sampling
    }
  }

  dynamic "secondary_ip_range" {
    for_each = contains(keys(var.secondary_ranges), each.value.subnet_name) ? var.secondary_ranges[each.value.subnet_name] : []
    content {
      range_name    = secondary_ip_range.value.range_name
      ip_cidr_range = secondary_ip_range.value.ip_cidr_range
    }
  }
}

resource "google_compute_route" "route" {
  for_each         = local.routes
  network          = google_compute_network.network.id
  name             = each.key
  description      = lookup(each.value, "description", null)
  tags             = compact(split(",", lookup(each.value, "tags", "")))
  dest_range       = lookup(each.value, "destination_range", null)
  next_hop_gateway = lookup(each.value, "next_hop_internet", "false") == "true" ? "default-internet-gateway" : null
  priority         = lookup(each.value, "priority", null)
}

resource "google_compute_firewall" "rules" {
  for_each      = { for r in var.rules : r.name => r }
  name          = each.value.name
  direction     = each.value.direction
  network       = google_compute_network.network.self_link
  source_ranges = each.value.direction == "INGRESS" ? each.value.ranges : null

  dynamic "log_config" {
    for_each = lookup(each.value, "log_config") == null ? [] : [lookup(each.value, "log_config")]
    content {
      metadata = log_config.value.metadata
    }
  }

  dynamic "allow" {
    for_each = lookup(each.value, "allow", [])
    content {
      protocol = allow.value.protocol
      ports    = lookup(allow.value, "ports", null)
    }
  }
}

resource "google_compute_router" "this" {
  for_each = toset([for s in var.subnets : s.subnet_region])
  name     = "router-${each.key}"
  region   = each.key
  network  = google_compute_network.network.id
  bgp {
    asn = 64514
  }
}

resource "google_compute_router_nat" "this" {
  for_each                           = google_compute_router.this
  name                               = "nat"
  router                             = each.value.name
  region                             = each.value.region
  nat_ip_allocate_option             = "AUTO_ONLY"
  source_subnetwork_ip_ranges_to_nat = "LIST_OF_SUBNETWORKS"
  dynamic "subnetwork" {
    for_each = [for s in google_compute_subnetwork.subnetwork : s if s.region == each.key]
    content {
      name                    = subnetwork.value.id
      source_ip_ranges_to_nat = ["ALL_IP_RANGES"]
    }
  }
}

output "gateways" {
  value = [for network in google_compute_subnetwork.subnetwork : network.gateway_address]
}

output "secondary" {
  value = { for k, v in google_compute_subnetwork.subnetwork : k => v.secondary_ip_range[*].range_name }
}

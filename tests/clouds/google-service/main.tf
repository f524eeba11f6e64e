terraform {
  required_version = ">= 1.5"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 6.0"
    }
  }
}


variable "containers" {
  type = list(object({
    container_name  = optional(string)
    container_image = string
    env_vars        = optional(map(string), {})
    env_secret_vars = optional(map(object({ secret = string, version = string })), {})
    resources = optional(object({
      limits   = optional(object({ cpu = optional(string), memory = optional(string) }))
      cpu_idle = optional(bool, true)
    }), {})
    ports = optional(object({ name = optional(string, "http1"), container_port = optional(number, 8080) }), {})
    startup_probe = optional(object({
      failure_threshold = optional(number)
      http_get = optional(object({
        path         = optional(string)
        http_headers = optional(list(object({ name = string, value = string })), [])
      }))
      tcp_socket = optional(object({ port = optional(number) }))
    }))
    volume_mounts = optional(list(object({ name = string, mount_path = string })), [])
  }))
  default = [{ container_image = "nginx", env_vars = { A = "1" }, startup_probe = { http_get = { path = "/" } } }]
}

variable "volumes" {
  type = list(object({
    name   = string
    secret = optional(object({ secret = string, items = optional(object({ path = string })) }))
    gcs    = optional(object({ bucket = string, read_only = optional(string) }))
  }))
  default = [{ name = "v", gcs = { bucket = "b" } }]
}

variable "members" {
  type    = list(string)
  default = ["allUsers"]
}

variable "traffic" {
  type    = list(object({ type = optional(string, "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST"), percent = optional(number, 100) }))
  default = [{}]
}

locals {
  images          = distinct([for c in var.containers : split(":", c.container_image)[0]])
  service_account = one(google_service_account.sa[*].email)
}

resource "google_service_account" "sa" {
  count      = 1
  account_id = "run"
}

resource "google_cloud_run_v2_service" "main" {
  name     = "web"
  location = "europe-west1"
  ingress  = "INGRESS_TRAFFIC_ALL"

  template {
    service_account                  = local.service_account
    max_instance_request_concurrency = 80

    dynamic "scaling" {
      for_each = [{ min = 0, max = 10 }]
      content {
        min_instance_count = scaling.value.min
        max_instance_count = scaling.value.max
      }
    }

    dynamic "containers" {
      for_each = var.containers
      content {
        name  = containers.value.container_name
        image = containers.value.container_image

        ports {
          name           = containers.value.ports["name"]
          container_port = containers.value.ports["container_port"]
        }

        resources {
          limits   = containers.value.resources.limits
          cpu_idle = containers.value.resources.cpu_idle
        }

        dynamic "startup_probe" {
          for_each = containers.value.startup_probe[*]
          content {
            failure_threshold = startup_probe.value.failure_threshold
            dynamic "http_get" {
              for_each = startup_probe.value.http_get[*]
              content {
                path = http_get.value.path
                dynamic "http_headers" {
                  for_each = http_get.value.http_headers
                  content {
                    name  = http_headers.value["name"]
                    value = http_headers.value["value"]
                  }
                }
              }
            }
            dynamic "tcp_socket" {
              for_each = startup_probe.value.tcp_socket[*]
              content {
                port = tcp_socket.value.port
              }
            }
          }
        }

        dynamic "env" {
          for_each = containers.value.env_vars
          content {
            name  = env.key
            value = env.value
          }
        }

        dynamic "env" {
          for_each = containers.value.env_secret_vars
          content {
            name = env.key
            value_source {
              secret_key_ref {
                secret  = env.value["secret"]
                version = env.value.version
              }
            }
          }
        }

        dynamic "volume_mounts" {
          for_each = containers.value.volume_mounts
          content {
            name       = volume_mounts.value["name"]
            mount_path = volume_mounts.value["mount_path"]
          }
        }
      }
    }

    dynamic "volumes" {
      for_each = var.volumes
      content {
        name = volumes.value.name
        dynamic "gcs" {
          for_each = volumes.value.gcs[*]
          content {
            bucket    = gcs.value.bucket
            read_only = gcs.value.read_only
          }
        }
        dynamic "secret" {
          for_each = volumes.value.secret[*]
          content {
            secret = secret.value.secret
            dynamic "items" {
              for_each = secret.value.items[*]
              content {
                path = items.value.path
              }
            }
          }
        }
      }
    }
  }

  dynamic "traffic" {
    for_each = var.traffic
    content {
      type    = traffic.value["type"]
      percent = traffic.value["percent"]
    }
  }
}

resource "google_cloud_run_v2_service_iam_member" "authorize" {
  for_each = toset(var.members)
  name     = google_cloud_run_v2_service.main.name
  location = google_cloud_run_v2_service.main.location
  role     = "roles/run.invoker"
  member   = each.value
}

output "service_uri" {
  value = google_cloud_run_v2_service.main.uri
}

output "ready" {
  value = google_cloud_run_v2_service.main.terminal_condition[0].state
}

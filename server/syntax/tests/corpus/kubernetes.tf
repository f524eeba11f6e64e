terraform {
  required_version = ">= 1.5, < 2.0"

  required_providers {
    kubernetes = {
      source  = "hashicorp/kubernetes"
      version = "~> 2.30"
    }
    helm = { source = "hashicorp/helm", version = "2.13.0" }
  }

  backend "s3" {
    bucket = "state"
    key    = "cluster/terraform.tfstate"
    region = "eu-central-1"
  }
}

provider "kubernetes" {
  host                   = data.aws_eks_cluster.this.endpoint
  cluster_ca_certificate = base64decode(data.aws_eks_cluster.this.certificate_authority[0].data)

  exec {
    api_version = "client.authentication.k8s.io/v1beta1"
    command     = "aws"
    args        = ["eks", "get-token", "--cluster-name", var.cluster_name]
  }
}

resource "kubernetes_deployment_v1" "app" {
  for_each = { for app in var.apps : app.name => app if app.enabled }

  metadata {
    name      = each.key
    namespace = kubernetes_namespace_v1.this[each.value.namespace].metadata[0].name
    labels    = merge(local.labels, { "app.kubernetes.io/name" = each.key })
  }

  spec {
    replicas = try(each.value.replicas, 1)

    selector {
      match_labels = { app = each.key }
    }

    template {
      metadata {
        labels = { app = each.key }
        annotations = {
          "prometheus.io/scrape" = "true"
          "checksum/config"      = sha256(jsonencode(each.value.config))
        }
      }

      spec {
        dynamic "container" {
          for_each = each.value.containers
          iterator = c

          content {
            name  = c.value.name
            image = "${c.value.repository}:${coalesce(c.value.tag, var.default_tag)}"

            dynamic "env" {
              for_each = c.value.env
              content {
                name  = env.key
                value = env.value
              }
            }

            resources {
              limits   = { cpu = "500m", memory = "512Mi" }
              requests = { cpu = "250m", memory = "256Mi" }
            }

            liveness_probe {
              http_get {
                path = "/healthz"
                port = 8080
              }
              initial_delay_seconds = 3
            }
          }
        }
      }
    }
  }

  lifecycle {
    ignore_changes = [
      spec[0].replicas,
      metadata[0].annotations["deployment.kubernetes.io/revision"],
    ]
    create_before_destroy = true

    precondition {
      condition     = length(each.value.containers) > 0
      error_message = "The app ${each.key} needs a container."
    }
  }
}

resource "helm_release" "ingress" {
  name       = "ingress-nginx"
  chart      = "ingress-nginx"
  repository = "https://kubernetes.github.io/ingress-nginx"

  values = [
    yamlencode({
      controller = {
        replicaCount = 2
        service      = { annotations = { for k, v in var.lb : "lb/${k}" => tostring(v) } }
      }
    }),
    file("${path.module}/values.yaml"),
  ]

  set {
    name  = "controller.image.tag"
    value = "v1.9.4"
  }
}

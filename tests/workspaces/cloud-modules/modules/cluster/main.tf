terraform {
  required_providers {
    lab5 = {
      source = "planlens/lab5"
    }
  }
}

variable "name" {
  type = string
}

variable "vpc" {
  type = object({ id = string, arn = string })
}

variable "public" {
  type = map(string)
}

variable "private" {
  type = map(string)
}

variable "create_key" {
  type    = bool
  default = true
}

variable "node_groups" {
  type = map(object({
    types    = list(string)
    min      = number
    max      = optional(number, 5)
    capacity = optional(string)
    labels   = optional(map(string), {})
    taints   = optional(list(object({ key = string, value = optional(string), effect = string })), [])
  }))
}

variable "rules" {
  type = list(object({ port = number, from = list(string), note = optional(string) }))
}

locals {
  tags = { Environment = var.name, Owner = "platform" }
  policies = {
    for pair in setproduct(["cluster", "node"], ["base", "logs", "network"]) : join("-", pair) => { role = pair[0], policy = pair[1] }
  }
}

resource "lab5_key" "this" {
  count = var.create_key ? 1 : 0

  description             = "Secrets of ${var.name}"
  enable_key_rotation     = true
  deletion_window_in_days = 7
  tags                    = local.tags
}

resource "lab5_log_group" "cluster" {
  name              = "/cluster/${var.name}"
  retention_in_days = 90
  kms_key_id        = one(lab5_key.this[*].arn)
  tags              = local.tags
}

resource "lab5_role" "this" {
  for_each = toset(["cluster", "node"])

  name                  = "${var.name}-${each.key}"
  force_detach_policies = true
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Action = "sts:AssumeRole", Effect = "Allow", Principal = { Service = "${each.key}.lab" } }]
  })
  tags = local.tags

  dynamic "inline_policy" {
    for_each = each.key == "cluster" ? ["deny-logs"] : []
    content {
      name   = inline_policy.value
      policy = jsonencode({ Effect = "Deny", Action = ["logs:CreateLogGroup"] })
    }
  }
}

resource "lab5_policy" "this" {
  for_each = local.policies

  name   = "${var.name}-${each.key}"
  policy = jsonencode({ Effect = "Allow", Action = "${each.value.policy}:*", Resource = var.vpc.arn })
  tags   = local.tags
}

resource "lab5_attachment" "this" {
  for_each = local.policies

  role       = lab5_role.this[each.value.role].name
  policy_arn = lab5_policy.this[each.key].arn
}

resource "lab5_security_group" "cluster" {
  name        = "${var.name}-cluster"
  description = "Control plane"
  vpc_id      = var.vpc.id
  tags        = local.tags

  dynamic "ingress" {
    for_each = var.rules
    content {
      from_port   = ingress.value.port
      to_port     = ingress.value.port
      protocol    = "tcp"
      cidr_blocks = ingress.value.from
      description = ingress.value.note
    }
  }

  egress = [{
    from_port        = 0
    to_port          = 0
    protocol         = "-1"
    cidr_blocks      = ["0.0.0.0/0"]
    description      = null
    ipv6_cidr_blocks = null
    security_groups  = null
    self             = null
  }]

  lifecycle {
    create_before_destroy = true
  }
}

resource "lab5_security_group" "node" {
  name   = "${var.name}-node"
  vpc_id = var.vpc.id
  tags   = local.tags
}

resource "lab5_rule" "node" {
  for_each = { for rule in var.rules : rule.port => rule }

  type                     = "ingress"
  security_group_id        = lab5_security_group.node.id
  source_security_group_id = lab5_security_group.cluster.id
  protocol                 = "tcp"
  from_port                = each.value.port
  to_port                  = each.value.port
  description              = coalesce(each.value.note, "port ${each.key}")
}

resource "lab5_cluster" "this" {
  name                      = var.name
  role_arn                  = lab5_role.this["cluster"].arn
  version                   = "1.33"
  enabled_cluster_log_types = ["api", "audit", "authenticator"]
  tags                      = local.tags

  vpc_config {
    subnet_ids              = concat(values(var.private), values(var.public))
    security_group_ids      = [lab5_security_group.cluster.id]
    endpoint_private_access = true
    public_access_cidrs     = ["0.0.0.0/0"]
  }

  dynamic "encryption_config" {
    for_each = lab5_key.this
    content {
      resources = ["secrets"]
      provider {
        key_arn = encryption_config.value.arn
      }
    }
  }

  kubernetes_network_config {
    service_ipv4_cidr = "172.20.0.0/16"
  }

  depends_on = [lab5_attachment.this, lab5_log_group.cluster]
}

resource "lab5_node_group" "this" {
  for_each = var.node_groups

  name           = "${var.name}-${each.key}"
  cluster_name   = lab5_cluster.this.name
  node_role_arn  = lab5_role.this["node"].arn
  subnet_ids     = values(var.private)
  instance_types = each.value.types
  capacity_type  = each.value.capacity
  labels         = each.value.labels
  tags           = merge(local.tags, { Group = each.key })

  scaling_config {
    desired_size = each.value.min
    min_size     = each.value.min
    max_size     = each.value.max
  }

  update_config {
    max_unavailable_percentage = 33
  }

  dynamic "taint" {
    for_each = each.value.taints
    content {
      key    = taint.value.key
      value  = taint.value.value
      effect = taint.value.effect
    }
  }

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [scaling_config[0].desired_size]
  }
}

resource "lab5_machine" "bastion" {
  for_each = var.public

  ami                    = "ami-2026"
  instance_type          = "t3.micro"
  subnet_id              = each.value
  vpc_security_group_ids = [lab5_security_group.node.id]
  user_data              = <<-EOT
    #!/bin/sh
    hostname bastion-${each.key}
  EOT
  tags                   = merge(local.tags, { Name = "bastion-${each.key}" })

  root_block_device {
    volume_size = 20
    encrypted   = true
  }

  dynamic "ebs_block_device" {
    for_each = each.key == keys(var.public)[0] ? { b = 10, c = 20 } : {}
    content {
      device_name = "/dev/sd${ebs_block_device.key}"
      volume_size = ebs_block_device.value
    }
  }

  metadata_options {
    http_tokens = "required"
  }
}

output "endpoint" {
  value = lab5_cluster.this.endpoint
}

output "node_groups" {
  value = { for name, group in lab5_node_group.this : name => group.arn }
}

resource "aws_eks_cluster" "this" {
  count = var.create ? 1 : 0

  name                      = var.name
  version                   = var.kubernetes_version
  role_arn                  = aws_iam_role.this[0].arn
  enabled_cluster_log_types = ["api", "audit"]
  tags                      = local.default_tags

  vpc_config {
    subnet_ids             = var.subnets
    security_group_ids     = aws_security_group.this[*].id
    endpoint_public_access = var.cluster_public_enabled
  }

  encryption_config {
    resources = ["secrets"]
    provider {
      key_arn = aws_kms_key.this[0].arn
    }
  }
}

resource "aws_kms_key" "this" {
  count = var.create ? 1 : 0

  description             = "Secrets of ${var.name}"
  deletion_window_in_days = 7
  tags                    = local.audit_tags
}

resource "aws_iam_role" "this" {
  count = var.create ? 1 : 0

  name               = "${var.name}-cluster"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "eks.amazonaws.com" } }] })
  tags               = local.audit_tags
}

resource "aws_security_group" "this" {
  count = var.create ? 1 : 0

  name   = "${var.name}-cluster"
  vpc_id = var.vpc_id
  tags   = merge(local.internal_tags, { Name = var.name })
}

resource "aws_security_group_rule" "this" {
  for_each = { for name, rule in local.rules : name => rule if var.create }

  security_group_id = aws_security_group.this[0].id
  type              = "ingress"
  description       = each.value.description
  from_port         = each.value.port
  to_port           = each.value.port
  protocol          = "tcp"
  self              = true
}

resource "aws_eks_addon" "this" {
  for_each = { for name, version in var.addons : name => version if var.create }

  cluster_name  = aws_eks_cluster.this[0].name
  addon_name    = each.key
  addon_version = each.value
  tags          = local.default_tags
}

resource "aws_eks_access_entry" "this" {
  for_each = { for name, entry in var.access : name => entry if var.create }

  cluster_name      = aws_eks_cluster.this[0].name
  principal_arn     = each.value.principal
  kubernetes_groups = each.value.groups
  tags              = local.audit_tags
}

module "group" {
  source   = "./group"
  for_each = { for name, group in var.groups : name => group if var.create }

  name           = "${var.name}-${each.key}"
  tags           = merge(var.tags, { Group = each.key })
  cluster_name   = aws_eks_cluster.this[0].name
  subnets        = try(each.value.subnets, var.subnets)
  sizes          = try(each.value.sizes, { min = 1, max = 3, desired = 2 })
  instance_types = try(each.value.instance_types, ["m6i.large"])
  taints         = try(each.value.taints, {})
}

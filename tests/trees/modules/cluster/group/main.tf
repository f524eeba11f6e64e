resource "aws_launch_template" "this" {
  count = var.create ? 1 : 0

  name                   = "${var.name}-nodes"
  update_default_version = true
  tags                   = local.default_tags

  block_device_mappings {
    device_name = "/dev/xvda"
    ebs {
      volume_size = var.group_primary_size
      encrypted   = true
    }
  }

  dynamic "tag_specifications" {
    for_each = toset(["instance", "volume", "network-interface"])
    content {
      resource_type = tag_specifications.key
      tags          = merge(local.default_tags, { Name = var.name })
    }
  }
}

resource "aws_eks_node_group" "this" {
  count = var.create ? 1 : 0

  cluster_name    = var.cluster_name
  node_group_name = var.name
  node_role_arn   = aws_iam_role.this[0].arn
  subnet_ids      = var.subnets
  instance_types  = var.instance_types
  labels          = local.primary_labels
  tags            = local.default_tags

  scaling_config {
    min_size     = var.sizes.min
    max_size     = var.sizes.max
    desired_size = var.sizes.desired
  }

  launch_template {
    id      = aws_launch_template.this[0].id
    version = aws_launch_template.this[0].default_version
  }

  dynamic "taint" {
    for_each = var.taints
    content {
      key    = taint.key
      value  = taint.value.value
      effect = taint.value.effect
    }
  }

  timeouts {
    create = "${var.group_primary_timeout}m"
  }
}

resource "aws_iam_role" "this" {
  count = var.create ? 1 : 0

  name               = "${var.name}-nodes"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ec2.amazonaws.com" } }] })
  tags               = local.audit_tags
}

resource "aws_iam_role_policy_attachment" "this" {
  for_each = { for name in ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryReadOnly", "AmazonEKS_CNI_Policy"] : name => "arn:aws:iam::aws:policy/${name}" if var.create }

  role       = aws_iam_role.this[0].name
  policy_arn = each.value
}

resource "aws_autoscaling_schedule" "this" {
  for_each = { for name, value in local.secondary_settings : name => value if var.create }

  scheduled_action_name  = each.key
  autoscaling_group_name = "${var.name}-${each.key}"
  min_size               = 0
  max_size               = tonumber(each.value)
  recurrence             = "0 5 * * *"
}

resource "aws_security_group" "this" {
  count = var.create ? 1 : 0

  name        = "${var.name}-server"
  description = "Traffic of ${var.name}"
  vpc_id      = var.vpc_id
  tags        = merge(local.default_tags, { Name = var.name })

  dynamic "ingress" {
    for_each = toset([for port in var.ports : tostring(port)])
    content {
      description = "Port ${ingress.value}"
      from_port   = tonumber(ingress.value)
      to_port     = tonumber(ingress.value)
      protocol    = "tcp"
      cidr_blocks = ["0.0.0.0/0"]
    }
  }

  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}

resource "aws_instance" "this" {
  count = var.create ? 1 : 0

  ami                    = var.ami
  instance_type          = var.instance_type
  subnet_id              = var.subnet_id
  vpc_security_group_ids = aws_security_group.this[*].id
  iam_instance_profile   = try(aws_iam_instance_profile.this[0].name, null)
  user_data              = var.user_data
  monitoring             = var.server_monitoring_enabled
  tags                   = merge(local.default_tags, { Name = var.name })

  metadata_options {
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  root_block_device {
    volume_size = var.server_primary_size
    encrypted   = true
    tags        = local.primary_tags
  }

  lifecycle {
    ignore_changes = [user_data]
  }
}

resource "aws_ebs_volume" "this" {
  for_each = { for key, volume in local.volumes : key => volume if var.create }

  availability_zone = "eu-west-1a"
  size              = each.value.size
  type              = each.value.type
  encrypted         = true
  tags              = each.value.tags
}

resource "aws_volume_attachment" "this" {
  for_each = aws_ebs_volume.this

  device_name = local.volumes[each.key].device
  volume_id   = each.value.id
  instance_id = aws_instance.this[0].id
}

resource "aws_iam_role" "this" {
  count = var.create ? 1 : 0

  name = "${var.name}-server"
  tags = local.audit_tags
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ec2.amazonaws.com" } }]
  })
}

resource "aws_iam_role_policy" "this" {
  count = var.create ? 1 : 0

  name   = "${var.name}-describe"
  role   = aws_iam_role.this[0].id
  policy = jsonencode({ Version = "2012-10-17", Statement = local.statements })
}

resource "aws_iam_instance_profile" "this" {
  count = var.create ? 1 : 0

  name = "${var.name}-server"
  role = aws_iam_role.this[0].name
  tags = local.audit_tags
}

resource "aws_cloudwatch_metric_alarm" "this" {
  for_each = { for key, value in local.monitoring_settings : key => value if var.create }

  alarm_name          = "${local.monitoring_name}-${each.key}"
  comparison_operator = "GreaterThanThreshold"
  evaluation_periods  = 2
  metric_name         = each.key
  namespace           = "AWS/EC2"
  period              = 60
  statistic           = "Average"
  threshold           = each.value
  dimensions          = { InstanceId = aws_instance.this[0].id }
  tags                = local.monitoring_tags
}

resource "aws_ecs_task_definition" "this" {
  count = var.create ? 1 : 0

  family                   = var.name
  cpu                      = sum([for container in local.containers : container.cpu])
  memory                   = sum([for container in local.containers : container.memory])
  network_mode             = "awsvpc"
  requires_compatibilities = ["FARGATE"]
  execution_role_arn       = aws_iam_role.this[0].arn
  container_definitions    = jsonencode(local.definitions)
  tags                     = local.default_tags
}

resource "aws_ecs_service" "this" {
  count = var.create ? 1 : 0

  name            = var.name
  cluster         = var.cluster_arn
  task_definition = aws_ecs_task_definition.this[0].arn
  desired_count   = var.desired_count
  launch_type     = "FARGATE"
  propagate_tags  = "SERVICE"
  tags            = local.default_tags

  network_configuration {
    subnets         = var.subnets
    security_groups = aws_security_group.this[*].id
  }

  dynamic "load_balancer" {
    for_each = aws_lb_target_group.this
    content {
      target_group_arn = load_balancer.value.arn
      container_name   = keys(local.containers)[0]
      container_port   = tonumber(load_balancer.key)
    }
  }
}

resource "aws_lb_target_group" "this" {
  for_each = { for port in local.ports : port => port if var.create }

  name        = "${var.name}-${each.key}"
  port        = each.value
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = var.vpc_id
  tags        = local.public_tags

  health_check {
    path     = var.service_public_path
    interval = var.service_public_timeout
    matcher  = "200-399"
  }
}

resource "aws_security_group" "this" {
  count = var.create ? 1 : 0

  name   = "${var.name}-service"
  vpc_id = var.vpc_id
  tags   = merge(local.internal_tags, { Name = var.name })
}

resource "aws_vpc_security_group_ingress_rule" "this" {
  for_each = { for port in local.ports : port => port if var.create }

  security_group_id = aws_security_group.this[0].id
  from_port         = each.value
  to_port           = each.value
  ip_protocol       = "tcp"
  cidr_ipv4         = "10.0.0.0/8"
  tags              = local.internal_tags
}

resource "aws_cloudwatch_log_group" "this" {
  for_each = { for name, container in local.containers : name => container if var.create }

  name              = each.value.logGroup
  retention_in_days = var.service_logging_timeout
  tags              = local.logging_tags
}

resource "aws_iam_role" "this" {
  count = var.create ? 1 : 0

  name               = "${var.name}-service"
  assume_role_policy = jsonencode({ Version = "2012-10-17", Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ecs-tasks.amazonaws.com" } }] })
  tags               = local.audit_tags
}

resource "aws_ssm_parameter" "this" {
  for_each = merge([for name, container in local.containers : { for key, value in container.environment : "${name}/${key}" => value }]...)

  name  = "/${var.name}/${each.key}"
  type  = "String"
  value = each.value
  tags  = local.private_tags
}

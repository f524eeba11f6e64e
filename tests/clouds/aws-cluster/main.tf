terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "services" {
  type    = map(any)
  default = { web = { port = 80, count = 2 }, admin = { port = 8080, count = 1 } }
}

variable "subnets" {
  type    = list(string)
  default = ["subnet-1", "subnet-2"]
}

resource "aws_ecs_cluster" "this" {
  name = "main"
  setting {
    name  = "containerInsights"
    value = "enabled"
  }
  dynamic "configuration" {
    for_each = aws_cloudwatch_log_group.exec
    content {
      execute_command_configuration {
        logging = "OVERRIDE"
        log_configuration {
          cloud_watch_log_group_name = configuration.value.name
        }
      }
    }
  }
}

resource "aws_cloudwatch_log_group" "exec" {
  count             = 1
  name              = "/ecs/exec"
  retention_in_days = 7
}

resource "aws_ecs_cluster_capacity_providers" "this" {
  cluster_name       = aws_ecs_cluster.this.name
  capacity_providers = ["FARGATE", "FARGATE_SPOT"]
  default_capacity_provider_strategy {
    base              = 1
    weight            = 100
    capacity_provider = "FARGATE"
  }
}

resource "aws_ecs_task_definition" "this" {
  for_each                 = var.services
  family                   = each.key
  network_mode             = "awsvpc"
  requires_compatibilities = ["FARGATE"]
  cpu                      = 256
  memory                   = 512
  container_definitions = jsonencode([{
    name         = each.key
    image        = "nginx"
    portMappings = [{ containerPort = each.value.port }]
  }])
  runtime_platform {
    cpu_architecture        = "ARM64"
    operating_system_family = "LINUX"
  }
}

resource "aws_ecs_service" "this" {
  for_each        = var.services
  name            = each.key
  cluster         = aws_ecs_cluster.this.id
  task_definition = aws_ecs_task_definition.this[each.key].arn
  desired_count   = each.value.count
  network_configuration {
    subnets          = var.subnets
    security_groups  = [for it in aws_security_group.this : it.id]
    assign_public_ip = false
  }
  load_balancer {
    target_group_arn = aws_lb_target_group.this[each.key].arn
    container_name   = each.key
    container_port   = each.value.port
  }
  lifecycle {
    ignore_changes = [desired_count]
  }
}

resource "aws_security_group" "this" {
  for_each = var.services
  name     = each.key
}

resource "aws_vpc_security_group_ingress_rule" "this" {
  for_each          = var.services
  security_group_id = aws_security_group.this[each.key].id
  ip_protocol       = "tcp"
  from_port         = each.value.port
  to_port           = each.value.port
  cidr_ipv4         = "10.0.0.0/8"
}

resource "aws_lb_target_group" "this" {
  for_each    = var.services
  name        = each.key
  port        = each.value.port
  protocol    = "HTTP"
  target_type = "ip"
  vpc_id      = "vpc-1"
  health_check {
    path                = "/health"
    healthy_threshold   = 2
    unhealthy_threshold = 3
  }
}

resource "aws_appautoscaling_target" "this" {
  for_each           = aws_ecs_service.this
  min_capacity       = 1
  max_capacity       = 10
  resource_id        = "service/${aws_ecs_cluster.this.name}/${each.value.name}"
  scalable_dimension = "ecs:service:DesiredCount"
  service_namespace  = "ecs"
}

resource "aws_appautoscaling_policy" "cpu" {
  for_each           = aws_appautoscaling_target.this
  name               = "${each.key}-cpu"
  policy_type        = "TargetTrackingScaling"
  resource_id        = each.value.resource_id
  scalable_dimension = each.value.scalable_dimension
  service_namespace  = each.value.service_namespace
  target_tracking_scaling_policy_configuration {
    target_value = 60
    predefined_metric_specification {
      predefined_metric_type = "ECSServiceAverageCPUUtilization"
    }
  }
}

output "groups" {
  value = values(aws_security_group.this)[*].arn
}

terraform {
  required_version = ">= 1.3"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}

variable "instances" {
  type    = any
  default = { one = {}, two = { class = "db.r6g.large", promotion_tier = 15 } }
}

locals {
  port      = coalesce(null, 5432)
  is_mysql  = startswith("aurora-postgresql", "aurora-mysql")
  subnet    = try(coalesce(null, aws_db_subnet_group.this[0].name), null)
  endpoints = [for i in aws_rds_cluster_instance.this : { endpoint = i.endpoint, writer = i.writer }]
}

resource "aws_db_subnet_group" "this" {
  count      = 1
  name       = "x"
  subnet_ids = ["a", "b"]
}

resource "aws_rds_cluster" "this" {
  engine                              = "aurora-postgresql"
  engine_mode                         = "provisioned"
  db_subnet_group_name                = local.subnet
  master_username                     = "root"
  manage_master_user_password         = true
  port                                = local.port
  iam_database_authentication_enabled = true
  enabled_cloudwatch_logs_exports     = local.is_mysql ? ["audit"] : ["postgresql"]
  dynamic "serverlessv2_scaling_configuration" {
    for_each = [{ min = 0.5, max = 10 }]
    content {
      min_capacity = serverlessv2_scaling_configuration.value.min
      max_capacity = serverlessv2_scaling_configuration.value.max
    }
  }
  dynamic "restore_to_point_in_time" {
    for_each = length(keys({})) > 0 ? [{}] : []
    content {
      source_cluster_identifier  = restore_to_point_in_time.value.source
      use_latest_restorable_time = try(restore_to_point_in_time.value.latest, null)
    }
  }
  lifecycle {
    ignore_changes = [replication_source_identifier, global_cluster_identifier, snapshot_identifier]
  }
}

resource "aws_rds_cluster_instance" "this" {
  for_each           = { for k, v in var.instances : k => v }
  cluster_identifier = aws_rds_cluster.this.id
  engine             = aws_rds_cluster.this.engine
  instance_class     = try(each.value.class, "db.serverless")
  promotion_tier     = try(each.value.promotion_tier, null)
  timeouts {
    create = try(each.value.timeouts.create, null)
  }
}

resource "aws_appautoscaling_target" "this" {
  min_capacity       = 1
  max_capacity       = 3
  resource_id        = "cluster:${aws_rds_cluster.this.cluster_identifier}"
  scalable_dimension = "rds:cluster:ReadReplicaCount"
  service_namespace  = "rds"
}

resource "aws_route53_record" "this" {
  for_each = toset(["reader", "writer"])
  zone_id  = data.aws_route53_zone.this.zone_id
  name     = each.key
  type     = "CNAME"
  ttl      = 60
  records  = [each.key == "reader" ? aws_rds_cluster.this.reader_endpoint : aws_rds_cluster.this.endpoint]
}

data "aws_route53_zone" "this" {
  name = "example.com."
}

resource "aws_acm_certificate" "this" {
  domain_name       = "example.com"
  validation_method = "DNS"
}

resource "aws_route53_record" "validation" {
  for_each = {
    for dvo in aws_acm_certificate.this.domain_validation_options : dvo.domain_name => {
      name   = dvo.resource_record_name
      record = dvo.resource_record_value
      type   = dvo.resource_record_type
    }
  }
  allow_overwrite = true
  name            = each.value.name
  records         = [each.value.record]
  ttl             = 60
  type            = each.value.type
  zone_id         = data.aws_route53_zone.this.zone_id
}

resource "aws_secretsmanager_secret" "s" {
  name = "s"
}

resource "aws_secretsmanager_secret_version" "s" {
  secret_id                = aws_secretsmanager_secret.s.id
  secret_string_wo         = "x"
  secret_string_wo_version = 1
}

output "secret" {
  value = aws_rds_cluster.this.master_user_secret[0].secret_arn
}

output "endpoints" {
  value = { for e in local.endpoints : e.endpoint => e.writer }
}

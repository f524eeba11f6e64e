terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "queues" {
  type = list(object({ name = string, fifo = optional(bool, false), dead = optional(number) }))
  default = [
    { name = "jobs", dead = 5 },
    { name = "events", fifo = true },
  ]
}

variable "kms" {
  type    = bool
  default = false
}

locals {
  queues = { for it in var.queues : it.name => it }
  dead   = { for name, it in local.queues : name => it if it.dead != null }
}

resource "aws_kms_key" "this" {
  count                   = var.kms ? 1 : 0
  description             = "Queues"
  enable_key_rotation     = true
  deletion_window_in_days = 7
}

resource "aws_sqs_queue" "dead" {
  for_each                  = local.dead
  name                      = "${each.key}-dead"
  message_retention_seconds = 1209600
}

resource "aws_sqs_queue" "this" {
  for_each                   = local.queues
  name                       = each.value.fifo ? "${each.key}.fifo" : each.key
  fifo_queue                 = each.value.fifo
  visibility_timeout_seconds = 60
  kms_master_key_id          = try(aws_kms_key.this[0].key_id, null)
  redrive_policy = contains(keys(local.dead), each.key) ? jsonencode({
    deadLetterTargetArn = aws_sqs_queue.dead[each.key].arn
    maxReceiveCount     = each.value.dead
  }) : null
  tags = {
    Name = each.key
  }
}

resource "aws_sqs_queue_redrive_allow_policy" "dead" {
  for_each  = aws_sqs_queue.dead
  queue_url = each.value.url
  redrive_allow_policy = jsonencode({
    redrivePermission = "byQueue"
    sourceQueueArns   = [aws_sqs_queue.this[each.key].arn]
  })
}

resource "aws_sns_topic" "this" {
  name              = "events"
  kms_master_key_id = one(aws_kms_key.this[*].arn)
}

resource "aws_sns_topic_subscription" "this" {
  for_each             = toset([for name, it in local.queues : name if !it.fifo])
  topic_arn            = aws_sns_topic.this.arn
  protocol             = "sqs"
  endpoint             = aws_sqs_queue.this[each.value].arn
  raw_message_delivery = true
}

data "aws_iam_policy_document" "send" {
  for_each = aws_sns_topic_subscription.this
  statement {
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.this[each.key].arn]
    principals {
      type        = "Service"
      identifiers = ["sns.amazonaws.com"]
    }
    condition {
      test     = "ArnEquals"
      variable = "aws:SourceArn"
      values   = [aws_sns_topic.this.arn]
    }
  }
}

resource "aws_sqs_queue_policy" "send" {
  for_each  = data.aws_iam_policy_document.send
  queue_url = aws_sqs_queue.this[each.key].id
  policy    = each.value.json
}

resource "aws_cloudwatch_metric_alarm" "dead" {
  for_each            = aws_sqs_queue.dead
  alarm_name          = "${each.value.name}-not-empty"
  comparison_operator = "GreaterThanThreshold"
  evaluation_periods  = 1
  metric_name         = "ApproximateNumberOfMessagesVisible"
  namespace           = "AWS/SQS"
  period              = 300
  statistic           = "Maximum"
  threshold           = 0
  alarm_actions       = [aws_sns_topic.this.arn]
  dimensions = {
    QueueName = each.value.name
  }
}

output "urls" {
  value = values(aws_sqs_queue.this)[*].url
}

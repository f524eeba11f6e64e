terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "create" {
  type    = bool
  default = true
}

variable "functions" {
  description = "Functions by name."
  type = map(object({
    handler     = string
    memory      = optional(number, 128)
    environment = optional(map(string), {})
    subnets     = optional(list(string))
    sources     = optional(list(string), [])
  }))
  default = {
    api    = { handler = "api.main", environment = { STAGE = "dev" } }
    worker = { handler = "worker.main", memory = 512, sources = ["a"] }
  }
}

locals {
  triggers = merge([
    for name, it in var.functions : {
      for source in it.sources : "${name}/${source}" => { function = name, source = source }
    }
  ]...)
}

data "aws_partition" "current" {}

data "aws_caller_identity" "current" {}

data "aws_iam_policy_document" "assume" {
  count = var.create ? 1 : 0
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["lambda.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "this" {
  for_each           = var.create ? var.functions : {}
  name_prefix        = "${each.key}-"
  assume_role_policy = data.aws_iam_policy_document.assume[0].json
}

resource "aws_iam_role_policy_attachment" "logs" {
  for_each   = aws_iam_role.this
  role       = each.value.name
  policy_arn = "arn:${data.aws_partition.current.partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
}

resource "aws_cloudwatch_log_group" "this" {
  for_each          = { for name, it in var.functions : name => it if var.create }
  name              = "/aws/lambda/${each.key}"
  retention_in_days = 14
}

resource "aws_lambda_function" "this" {
  for_each      = var.create ? var.functions : {}
  function_name = each.key
  role          = aws_iam_role.this[each.key].arn
  handler       = each.value.handler
  runtime       = "python3.12"
  filename      = "code.zip"
  memory_size   = each.value.memory
  dynamic "environment" {
    for_each = length(each.value.environment) > 0 ? [each.value.environment] : []
    content {
      variables = environment.value
    }
  }
  dynamic "vpc_config" {
    for_each = each.value.subnets != null ? [each.value.subnets] : []
    content {
      subnet_ids         = vpc_config.value
      security_group_ids = aws_security_group.this[*].id
    }
  }
  logging_config {
    log_format = "JSON"
    log_group  = aws_cloudwatch_log_group.this[each.key].name
  }
  depends_on = [aws_iam_role_policy_attachment.logs]
}

resource "aws_security_group" "this" {
  count       = anytrue([for it in var.functions : it.subnets != null]) ? 1 : 0
  name_prefix = "functions-"
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_lambda_permission" "this" {
  for_each      = local.triggers
  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.this[each.value.function].function_name
  principal     = "events.amazonaws.com"
  source_arn    = "arn:aws:events:eu-west-1:${data.aws_caller_identity.current.account_id}:rule/${each.value.source}"
}

output "arns" {
  value = { for name, it in aws_lambda_function.this : name => it.qualified_arn }
}

output "group" {
  value = one(aws_security_group.this[*].id)
}

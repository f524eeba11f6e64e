terraform {
  required_version = ">= 1.3"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}

variable "users" {
  type = map(object({
    groups   = optional(set(string), [])
    path     = optional(string, "/")
    policies = optional(list(object({ name = string, statements = list(map(string)) })), [])
  }))
  default = {
    ann = { groups = ["admins", "devs"] }
    bob = { groups = ["devs"], policies = [{ name = "p", statements = [{ Effect = "Allow", Action = "s3:*", Resource = "*" }] }] }
  }
}

variable "trusted_role_arns" {
  type    = list(string)
  default = []
}

variable "custom_policy_arns" {
  type    = list(string)
  default = []
  validation {
    condition     = alltrue([for a in var.custom_policy_arns : can(regex("^arn:[^:]+:iam::", a))])
    error_message = "Not an ARN of IAM."
  }
}

locals {
  groups      = toset(flatten([for u in var.users : tolist(u.groups)]))
  memberships = merge([for name, u in var.users : { for g in u.groups : "${name}/${g}" => { user = name, group = g } }]...)
  policies    = { for p in flatten([for n, u in var.users : [for p in u.policies : merge(p, { user = n })]]) : "${p.user}-${p.name}" => p }
  account_id  = data.aws_caller_identity.this.account_id
  by_group    = { for k, m in local.memberships : m.group => m.user... }
}

data "aws_caller_identity" "this" {}
resource "aws_iam_user" "this" {
  for_each      = var.users
  name          = each.key
  path          = each.value.path
  force_destroy = true
}

resource "aws_iam_group" "this" {
  for_each = local.groups
  name     = each.value
}

resource "aws_iam_user_group_membership" "this" {
  for_each = { for k, m in local.memberships : k => m }
  user     = aws_iam_user.this[each.value.user].name
  groups   = [aws_iam_group.this[each.value.group].name]
}

resource "aws_iam_user_policy" "this" {
  for_each = local.policies
  name     = each.value.name
  user     = aws_iam_user.this[each.value.user].name
  policy   = jsonencode({ Version = "2012-10-17", Statement = each.value.statements })
}

data "aws_iam_policy_document" "assume_role" {
  source_policy_documents = [data.aws_iam_policy_document.base.json]
  dynamic "statement" {
    for_each = length(var.trusted_role_arns) > 0 ? [1] : []
    content {
      effect  = "Allow"
      actions = compact(["sts:AssumeRole", ""])
      principals {
        type        = "AWS"
        identifiers = var.trusted_role_arns
      }
      dynamic "condition" {
        for_each = { for k, v in { mfa = "true" } : k => v }
        content {
          test     = "Bool"
          variable = "aws:MultiFactorAuthPresent"
          values   = [condition.value]
        }
      }
    }
  }
}

data "aws_iam_policy_document" "base" {
  statement {
    not_actions = ["iam:*"]
    resources   = ["arn:aws:s3:::${local.account_id}/*"]
    not_principals {
      type        = "*"
      identifiers = ["*"]
    }
  }
}

resource "aws_iam_role" "this" {
  count                = 1
  name                 = "x"
  max_session_duration = 3600
  permissions_boundary = null
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      for s in ["ec2", "lambda"] : {
        Action    = "sts:AssumeRole"
        Effect    = "Allow"
        Principal = { Service = "${s}.amazonaws.com" }
      }
    ]
  })
  inline_policy {}
}

resource "aws_iam_role_policy_attachment" "custom" {
  count      = length(var.custom_policy_arns)
  role       = aws_iam_role.this[0].name
  policy_arn = var.custom_policy_arns[count.index]
}

resource "aws_iam_access_key" "this" {
  for_each = { for k, u in aws_iam_user.this : k => u.name }
  user     = each.value
}

output "keys" {
  value     = { for k, v in aws_iam_access_key.this : k => { id = v.id, secret = v.secret, smtp = v.ses_smtp_password_v4 } }
  sensitive = true
}

output "role_unique_id" {
  value = one(aws_iam_role.this[*].unique_id)
}

output "groups" {
  value = local.by_group["devs"]
}

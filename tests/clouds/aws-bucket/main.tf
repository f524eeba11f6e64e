terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}


data "aws_canonical_user_id" "this" {}

variable "bucket" {
  type    = string
  default = null
}

variable "versioning" {
  type    = map(string)
  default = { status = "Enabled" }
}

variable "lifecycle_rule" {
  type = any
  default = [{
    id         = "log"
    enabled    = true
    filter     = { prefix = "logs/" }
    transition = [{ days = 30, storage_class = "ONEZONE_IA" }]
    expiration = { days = 90 }
  }]
}

variable "grant" {
  type    = any
  default = []
}

variable "server_side_encryption_configuration" {
  type    = any
  default = { rule = { apply_server_side_encryption_by_default = { sse_algorithm = "AES256" } } }
}

locals {
  create_bucket   = true
  grants          = try(jsondecode(var.grant), var.grant)
  lifecycle_rules = try(jsondecode(var.lifecycle_rule), var.lifecycle_rule)
  attach_policy   = true
  bucket_id       = try(aws_s3_bucket_policy.this[0].id, aws_s3_bucket.this[0].id)
  tiers           = toset(["ARCHIVE_ACCESS", "DEEP_ARCHIVE_ACCESS"])
}

resource "aws_s3_bucket" "this" {
  count               = local.create_bucket ? 1 : 0
  bucket              = var.bucket
  bucket_prefix       = var.bucket == null ? "logs-" : null
  force_destroy       = true
  object_lock_enabled = false
}

resource "aws_s3_bucket_versioning" "this" {
  count  = local.create_bucket && length(keys(var.versioning)) > 0 ? 1 : 0
  bucket = aws_s3_bucket.this[0].id
  mfa    = try(var.versioning["mfa"], null)
  versioning_configuration {
    status     = try(var.versioning["enabled"] ? "Enabled" : "Suspended", tobool(var.versioning["status"]) ? "Enabled" : "Suspended", title(lower(var.versioning["status"])))
    mfa_delete = try(title(lower(var.versioning["mfa_delete"])), null)
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "this" {
  count  = length(keys(var.server_side_encryption_configuration)) > 0 ? 1 : 0
  bucket = aws_s3_bucket.this[0].id
  dynamic "rule" {
    for_each = try(flatten([var.server_side_encryption_configuration["rule"]]), [])
    content {
      bucket_key_enabled = try(rule.value.bucket_key_enabled, null)
      dynamic "apply_server_side_encryption_by_default" {
        for_each = try([rule.value.apply_server_side_encryption_by_default], [])
        content {
          sse_algorithm     = apply_server_side_encryption_by_default.value.sse_algorithm
          kms_master_key_id = try(apply_server_side_encryption_by_default.value.kms_master_key_id, null)
        }
      }
    }
  }
}

resource "aws_s3_bucket_acl" "this" {
  count  = 1
  bucket = aws_s3_bucket.this[0].id
  access_control_policy {
    dynamic "grant" {
      for_each = local.grants
      content {
        permission = grant.value.permission
        grantee {
          type          = grant.value.type
          id            = try(grant.value.id, null)
          uri           = try(grant.value.uri, null)
          email_address = try(grant.value.email, null)
        }
      }
    }
    owner {
      id           = try(var.bucket, data.aws_canonical_user_id.this.id)
      display_name = null
    }
  }
  depends_on = [aws_s3_bucket_ownership_controls.this]
}

resource "aws_s3_bucket_ownership_controls" "this" {
  count  = 1
  bucket = local.attach_policy ? aws_s3_bucket_policy.this[0].id : aws_s3_bucket.this[0].id
  rule {
    object_ownership = "BucketOwnerEnforced"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  count  = local.create_bucket && length(local.lifecycle_rules) > 0 ? 1 : 0
  bucket = aws_s3_bucket.this[0].id

  dynamic "rule" {
    for_each = local.lifecycle_rules
    content {
      id     = try(rule.value.id, null)
      status = try(rule.value.enabled ? "Enabled" : "Disabled", tobool(rule.value.status) ? "Enabled" : "Disabled", title(lower(rule.value.status)))

      dynamic "abort_incomplete_multipart_upload" {
        for_each = try([rule.value.abort_incomplete_multipart_upload_days], [])
        content {
          days_after_initiation = try(rule.value.abort_incomplete_multipart_upload_days, null)
        }
      }
      dynamic "expiration" {
        for_each = try(flatten([rule.value.expiration]), [])
        content {
          date                         = try(expiration.value.date, null)
          days                         = try(expiration.value.days, null)
          expired_object_delete_marker = try(expiration.value.expired_object_delete_marker, null)
        }
      }
      dynamic "transition" {
        for_each = try(flatten([rule.value.transition]), [])
        content {
          days          = try(transition.value.days, null)
          storage_class = transition.value.storage_class
        }
      }
      dynamic "filter" {
        for_each = [for v in try(flatten([rule.value.filter]), []) : v if max(length(keys(v)), length(try(rule.value.filter.tags, rule.value.filter.tag, []))) == 1]
        content {
          object_size_greater_than = try(filter.value.object_size_greater_than, null)
          prefix                   = try(filter.value.prefix, null)
          dynamic "tag" {
            for_each = try(filter.value.tags, filter.value.tag, [])
            content {
              key   = tag.key
              value = tag.value
            }
          }
        }
      }
    }
  }
  depends_on = [aws_s3_bucket_versioning.this]
}

data "aws_iam_policy_document" "combined" {
  count                   = local.create_bucket ? 1 : 0
  source_policy_documents = compact([one(data.aws_iam_policy_document.deny_insecure[*].json)])
}

data "aws_iam_policy_document" "deny_insecure" {
  count = 1
  statement {
    sid       = "denyInsecureTransport"
    effect    = "Deny"
    actions   = ["s3:*"]
    resources = [aws_s3_bucket.this[0].arn, "${aws_s3_bucket.this[0].arn}/*"]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_s3_bucket_policy" "this" {
  count  = local.attach_policy ? 1 : 0
  bucket = aws_s3_bucket.this[0].id
  policy = data.aws_iam_policy_document.combined[0].json
}

resource "aws_s3_bucket_intelligent_tiering_configuration" "this" {
  name   = "all"
  bucket = aws_s3_bucket.this[0].id
  dynamic "tiering" {
    for_each = local.tiers
    content {
      access_tier = tiering.value
      days        = tiering.key == "ARCHIVE_ACCESS" ? 125 : 180
    }
  }
}

output "domain" {
  value = try(aws_s3_bucket.this[0].bucket_regional_domain_name, "")
}

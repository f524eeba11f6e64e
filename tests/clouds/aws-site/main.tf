terraform {
  required_version = ">= 1.5"
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}

variable "domain" {
  type    = string
  default = "example.com"
}

variable "aliases" {
  type    = set(string)
  default = ["www", "static"]
}

provider "aws" {
  region = "eu-west-1"
}

provider "aws" {
  alias  = "global"
  region = "us-east-1"
}

data "aws_route53_zone" "this" {
  name         = var.domain
  private_zone = false
}

resource "aws_s3_bucket" "this" {
  bucket_prefix = "site-"
  force_destroy = true
}

resource "aws_s3_bucket_versioning" "this" {
  bucket = aws_s3_bucket.this.id
  versioning_configuration {
    status = "Enabled"
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "this" {
  bucket = aws_s3_bucket_versioning.this.bucket
  rule {
    id     = "old"
    status = "Enabled"
    filter {}
    noncurrent_version_expiration {
      noncurrent_days = 30
    }
  }
}

resource "aws_acm_certificate" "this" {
  provider                  = aws.global
  domain_name               = var.domain
  subject_alternative_names = [for it in var.aliases : "${it}.${var.domain}"]
  validation_method         = "DNS"
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_route53_record" "validation" {
  for_each = {
    for it in aws_acm_certificate.this.domain_validation_options : it.domain_name => {
      name   = it.resource_record_name
      record = it.resource_record_value
      type   = it.resource_record_type
    }
  }
  zone_id         = data.aws_route53_zone.this.zone_id
  name            = each.value.name
  type            = each.value.type
  records         = [each.value.record]
  ttl             = 60
  allow_overwrite = true
}

resource "aws_acm_certificate_validation" "this" {
  provider                = aws.global
  certificate_arn         = aws_acm_certificate.this.arn
  validation_record_fqdns = [for it in aws_route53_record.validation : it.fqdn]
}

resource "aws_cloudfront_origin_access_control" "this" {
  name                              = "site"
  origin_access_control_origin_type = "s3"
  signing_behavior                  = "always"
  signing_protocol                  = "sigv4"
}

resource "aws_cloudfront_distribution" "this" {
  enabled             = true
  default_root_object = "index.html"
  aliases             = concat([var.domain], [for it in var.aliases : "${it}.${var.domain}"])
  origin {
    origin_id                = aws_s3_bucket.this.id
    domain_name              = aws_s3_bucket.this.bucket_regional_domain_name
    origin_access_control_id = aws_cloudfront_origin_access_control.this.id
  }
  default_cache_behavior {
    allowed_methods        = ["GET", "HEAD"]
    cached_methods         = ["GET", "HEAD"]
    target_origin_id       = aws_s3_bucket.this.id
    viewer_protocol_policy = "redirect-to-https"
    forwarded_values {
      query_string = false
      cookies {
        forward = "none"
      }
    }
  }
  restrictions {
    geo_restriction {
      restriction_type = "none"
    }
  }
  viewer_certificate {
    acm_certificate_arn      = aws_acm_certificate_validation.this.certificate_arn
    ssl_support_method       = "sni-only"
    minimum_protocol_version = "TLSv1.2_2021"
  }
}

resource "aws_route53_record" "alias" {
  for_each = var.aliases
  zone_id  = data.aws_route53_zone.this.zone_id
  name     = each.value
  type     = "A"
  alias {
    name                   = aws_cloudfront_distribution.this.domain_name
    zone_id                = aws_cloudfront_distribution.this.hosted_zone_id
    evaluate_target_health = false
  }
}

output "names" {
  value = [for it in aws_route53_record.alias : it.fqdn]
}

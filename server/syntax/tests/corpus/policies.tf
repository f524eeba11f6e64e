data "aws_iam_policy_document" "bucket" {
  statement {
    sid     = "AllowRead"
    effect  = "Allow"
    actions = ["s3:GetObject", "s3:ListBucket"]
    resources = [
      aws_s3_bucket.this.arn,
      "${aws_s3_bucket.this.arn}/*",
      "arn:aws:s3:::$${aws:username}/*",
    ]

    principals {
      type        = "AWS"
      identifiers = concat([local.root], var.readers[*].arn, [for r in var.roles : r.arn if r.read])
    }

    condition {
      test     = "StringLike"
      variable = "s3:prefix"
      values   = ["home/", "home/&{aws:username}/*"]
    }
  }

  dynamic "statement" {
    for_each = var.public ? [1] : []
    content {
      actions   = ["s3:*"]
      resources = ["*"]
      effect    = "Deny"
    }
  }
}

resource "aws_iam_role" "this" {
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Action = "sts:AssumeRole"
      Effect = "Allow"
      Principal = {
        Service = ["ec2.amazonaws.com", "lambda.amazonaws.com"]
      }
      Condition = {
        "ForAnyValue:StringEquals" : { "aws:PrincipalOrgID" : [var.org] }
      }
    }, ]
  })

  inline_policy {
    name   = "inline"
    policy = <<POLICY
{
  "Version": "2012-10-17",
  "Statement": [
    {
      "Effect": "Allow",
      "Action": "s3:*",
      "Resource": ["${aws_s3_bucket.this.arn}", "arn:aws:s3:::*/$${aws:userid}"]
    }%{ if var.logs }, {
      "Effect": "Allow",
      "Action": "logs:*",
      "Resource": "*"
    }%{ endif }
  ]
}
POLICY
  }
}

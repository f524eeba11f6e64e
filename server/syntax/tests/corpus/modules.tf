module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "5.8.1"

  name = "${var.project}-${terraform.workspace}"
  cidr = var.cidr

  azs             = slice(data.aws_availability_zones.available.names, 0, 3)
  private_subnets = [for i in range(3) : cidrsubnet(var.cidr, 8, i)]
  public_subnets  = [for i in range(3) : cidrsubnet(var.cidr, 8, i + 100)]

  enable_nat_gateway = !var.is_private
  tags               = local.tags
}

module "regional" {
  source   = "./regional"
  for_each = toset(["eu-central-1", "us-east-1"])

  providers = {
    aws         = aws.main
    aws.replica = aws.by_region[each.key]
  }

  region = each.value
  peers = {
    for region, vpc in module.vpcs : region => {
      id   = vpc.vpc_id
      cidr = vpc.vpc_cidr_block
    } if region != each.key
  }

  depends_on = [module.vpc, aws_iam_role.this["admin"]]
}

moved {
  from = aws_instance.a[0]
  to   = module.web["a"].aws_instance.this[0]
}

import {
  for_each = local.buckets
  to       = aws_s3_bucket.this[each.key]
  id       = each.value
}

removed {
  from = aws_instance.old
  lifecycle {
    destroy = false
  }
}

check "health" {
  data "http" "this" {
    url = "https://${aws_lb.this.dns_name}/health"
  }

  assert {
    condition     = data.http.this.status_code == 200
    error_message = "${data.http.this.url} answered ${data.http.this.status_code}"
  }
}

output "vpc_ids" {
  value       = { for k, m in module.regional : k => m.vpc_id }
  description = "By region"
  depends_on  = [module.regional]

  precondition {
    condition     = module.regional["eu-central-1"].vpc_id != ""
    error_message = "none"
  }
}

ephemeral "random_password" "db" {
  length           = 16
  override_special = "!#$%&*()-_=+[]{}<>:?"
}

resource "aws_db_instance" "main" {
  password_wo         = ephemeral.random_password.db.result
  password_wo_version = 1
}

provider "aws" {
  alias  = "replica"
  region = "us-west-2"

  default_tags { tags = local.tags }
  assume_role {
    role_arn = "arn:aws:iam::${var.account}:role/${var.role}"
  }
}

terraform {
  required_version = ">= 1.3"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}

variable "name" {
  type    = string
  default = "main"
}

variable "cidr" {
  type    = string
  default = "10.0.0.0/16"
}

variable "azs" {
  type    = list(string)
  default = []
}

variable "private_subnets" {
  type    = list(string)
  default = ["10.0.1.0/24", "10.0.2.0/24"]
}

variable "public_subnets" {
  type    = list(string)
  default = []
}

variable "single_nat_gateway" {
  type    = bool
  default = false
}

variable "private_inbound_acl_rules" {
  type = list(map(string))
  default = [
    {
      rule_number = 100
      rule_action = "allow"
      from_port   = 0
      to_port     = 0
      protocol    = "-1"
      cidr_block  = "0.0.0.0/0"
    },
  ]
}

variable "tags" {
  type    = map(string)
  default = {}
}

variable "subnet_tags_per_az" {
  type    = map(map(string))
  default = {}
}

data "aws_availability_zones" "available" {
  state = "available"
  filter {
    name   = "opt-in-status"
    values = ["opt-in-not-required"]
  }
}

data "aws_region" "current" {}
data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
locals {
  azs               = coalescelist(var.azs, slice(data.aws_availability_zones.available.names, 0, 3))
  len_private       = max(length(var.private_subnets), length(var.public_subnets))
  create_private    = local.len_private > 0 && length(var.private_subnets) > 0
  nat_gateway_count = var.single_nat_gateway ? 1 : local.len_private
  nat_gateway_ips   = try(aws_eip.nat[*].id, [])
  vpc_id            = try(aws_vpc_ipv4_cidr_block_association.this[0].vpc_id, aws_vpc.this[0].id, "")
  computed_subnets  = [for i, az in local.azs : cidrsubnet(var.cidr, 8, i + 100)]
  subnets_by_az     = { for s in aws_subnet.private : s.availability_zone => s.id... }
}

resource "aws_vpc" "this" {
  count                                = 1
  cidr_block                           = var.cidr
  enable_dns_hostnames                 = true
  enable_network_address_usage_metrics = null
  tags                                 = merge({ "Name" = var.name }, var.tags)
}

resource "aws_vpc_ipv4_cidr_block_association" "this" {
  count      = 0
  vpc_id     = aws_vpc.this[0].id
  cidr_block = element([], count.index)
}

resource "aws_subnet" "private" {
  count             = local.create_private ? length(var.private_subnets) : 0
  vpc_id            = local.vpc_id
  cidr_block        = element(concat(var.private_subnets, [""]), count.index)
  availability_zone = length(regexall("^[a-z]{2}-", element(local.azs, count.index))) > 0 ? element(local.azs, count.index) : null
  tags = merge(
    { "Name" = try(var.subnet_tags_per_az[element(local.azs, count.index)]["Name"], format("${var.name}-private-%s", element(local.azs, count.index))) },
    var.tags,
    lookup(var.subnet_tags_per_az, element(local.azs, count.index), {})
  )
}

resource "aws_eip" "nat" {
  count      = local.nat_gateway_count
  domain     = "vpc"
  depends_on = [aws_internet_gateway.this]
}

resource "aws_internet_gateway" "this" {
  vpc_id = local.vpc_id
}

resource "aws_nat_gateway" "this" {
  count         = local.nat_gateway_count
  allocation_id = element(local.nat_gateway_ips, var.single_nat_gateway ? 0 : count.index)
  subnet_id     = element(aws_subnet.private[*].id, var.single_nat_gateway ? 0 : count.index)
}

resource "aws_route_table" "private" {
  count  = local.nat_gateway_count
  vpc_id = local.vpc_id
  dynamic "route" {
    for_each = [for n in aws_nat_gateway.this : n.id if n.connectivity_type == "public"]
    content {
      cidr_block     = "0.0.0.0/0"
      nat_gateway_id = route.value
    }
  }
  lifecycle {
    ignore_changes = [propagating_vgws]
  }
  timeouts {
    create = "5m"
  }
}

resource "aws_route_table_association" "private" {
  count          = length(var.private_subnets)
  subnet_id      = element(aws_subnet.private[*].id, count.index)
  route_table_id = element(aws_route_table.private[*].id, var.single_nat_gateway ? 0 : count.index)
}

resource "aws_network_acl" "private" {
  vpc_id     = local.vpc_id
  subnet_ids = aws_subnet.private[*].id
}

resource "aws_network_acl_rule" "private_inbound" {
  count          = length(var.private_inbound_acl_rules)
  network_acl_id = aws_network_acl.private.id
  egress         = false
  rule_number    = var.private_inbound_acl_rules[count.index]["rule_number"]
  rule_action    = var.private_inbound_acl_rules[count.index]["rule_action"]
  from_port      = lookup(var.private_inbound_acl_rules[count.index], "from_port", null)
  to_port        = lookup(var.private_inbound_acl_rules[count.index], "to_port", null)
  icmp_code      = lookup(var.private_inbound_acl_rules[count.index], "icmp_code", null)
  protocol       = var.private_inbound_acl_rules[count.index]["protocol"]
  cidr_block     = lookup(var.private_inbound_acl_rules[count.index], "cidr_block", null)
}

resource "aws_flow_log" "this" {
  count           = 1
  log_destination = aws_cloudwatch_log_group.flow.arn
  iam_role_arn    = "arn:${data.aws_partition.current.partition}:iam::${data.aws_caller_identity.current.account_id}:role/flow"
  traffic_type    = "ALL"
  vpc_id          = local.vpc_id
  dynamic "destination_options" {
    for_each = []
    content {
      file_format = "parquet"
    }
  }
}

resource "aws_cloudwatch_log_group" "flow" {
  name              = "/aws/vpc/${var.name}"
  retention_in_days = 7
}

resource "aws_default_security_group" "this" {
  vpc_id = aws_vpc.this[0].id
  dynamic "ingress" {
    for_each = [{ self = true, from_port = 0, to_port = 0 }]
    content {
      self        = lookup(ingress.value, "self", null)
      cidr_blocks = compact(split(",", lookup(ingress.value, "cidr_blocks", "")))
      from_port   = lookup(ingress.value, "from_port", 0)
      to_port     = lookup(ingress.value, "to_port", 0)
      protocol    = lookup(ingress.value, "protocol", "-1")
    }
  }
}

output "vpc_id" {
  value = try(aws_vpc.this[0].id, null)
}

output "private_subnet_arns" {
  value = compact(aws_subnet.private[*].arn)
}

output "natgw_by_az" {
  value = { for i, n in aws_nat_gateway.this : element(local.azs, i) => n.public_ip }
}

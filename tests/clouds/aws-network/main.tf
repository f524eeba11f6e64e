terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}


variable "name" {
  type    = string
  default = ""
}

variable "cidr" {
  description = "The IPv4 CIDR block"
  type        = string
  default     = "10.0.0.0/16"

  validation {
    condition     = can(cidrhost(var.cidr, 0))
    error_message = "The CIDR block must be valid."
  }
}

variable "azs" {
  type    = list(string)
  default = ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
}

variable "private_subnets" {
  type    = list(string)
  default = []
}

variable "public_subnets" {
  type    = list(string)
  default = ["10.0.101.0/24", "10.0.102.0/24"]
}

variable "create_vpc" {
  type    = bool
  default = true
}

variable "enable_nat_gateway" {
  type    = bool
  default = true
}

variable "single_nat_gateway" {
  type    = bool
  default = false
}

variable "one_nat_gateway_per_az" {
  type    = bool
  default = false
}

variable "tags" {
  type    = map(string)
  default = {}
}

variable "private_subnet_tags_per_az" {
  type    = map(map(string))
  default = {}
}

variable "public_inbound_acl_rules" {
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

locals {
  len_public_subnets  = max(length(var.public_subnets), 1)
  len_private_subnets = length(var.private_subnets)
  private_subnets     = coalescelist(var.private_subnets, [for k, v in var.azs : cidrsubnet(var.cidr, 8, k)])
  create_public       = var.create_vpc && local.len_public_subnets > 0
  nat_gateway_count   = var.single_nat_gateway ? 1 : var.one_nat_gateway_per_az ? length(var.azs) : length(local.private_subnets)
  nat_gateway_ips     = aws_eip.nat[*].id
  vpc_id              = try(aws_vpc_ipv4_cidr_block_association.this[0].vpc_id, aws_vpc.this[0].id, "")
}

resource "aws_vpc" "this" {
  count = var.create_vpc ? 1 : 0

  cidr_block           = var.cidr
  enable_dns_hostnames = true
  enable_dns_support   = true

  tags = merge(
    { "Name" = var.name },
    var.tags,
  )
}

resource "aws_vpc_ipv4_cidr_block_association" "this" {
  count = var.create_vpc && length(["100.64.0.0/16"]) > 0 ? 1 : 0

  vpc_id     = aws_vpc.this[0].id
  cidr_block = element(["100.64.0.0/16"], count.index)
}

resource "aws_subnet" "public" {
  count = local.create_public ? local.len_public_subnets : 0

  availability_zone       = length(regexall("^[a-z]{2}-", element(var.azs, count.index))) > 0 ? element(var.azs, count.index) : null
  availability_zone_id    = length(regexall("^[a-z]{2}-", element(var.azs, count.index))) == 0 ? element(var.azs, count.index) : null
  cidr_block              = element(concat(var.public_subnets, [""]), count.index)
  map_public_ip_on_launch = false
  vpc_id                  = local.vpc_id

  tags = merge(
    {
      Name = try(
        var.tags["names"][count.index],
        format("${var.name}-public-%s", element(var.azs, count.index))
      )
    },
    var.tags,
  )

  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_subnet" "private" {
  count = length(local.private_subnets)

  availability_zone = element(var.azs, count.index)
  cidr_block        = local.private_subnets[count.index]
  vpc_id            = local.vpc_id
  tags              = merge({ Name = format("%s-private-%s", var.name, var.azs[count.index]) }, lookup(var.private_subnet_tags_per_az, element(var.azs, count.index), {}))
}

resource "aws_network_acl" "public" {
  count = local.create_public ? 1 : 0

  vpc_id     = local.vpc_id
  subnet_ids = aws_subnet.public[*].id
}

resource "aws_network_acl_rule" "public_inbound" {
  count = local.create_public ? length(var.public_inbound_acl_rules) : 0

  network_acl_id = aws_network_acl.public[0].id

  egress          = false
  rule_number     = var.public_inbound_acl_rules[count.index]["rule_number"]
  rule_action     = var.public_inbound_acl_rules[count.index]["rule_action"]
  from_port       = lookup(var.public_inbound_acl_rules[count.index], "from_port", null)
  to_port         = lookup(var.public_inbound_acl_rules[count.index], "to_port", null)
  icmp_code       = lookup(var.public_inbound_acl_rules[count.index], "icmp_code", null)
  protocol        = var.public_inbound_acl_rules[count.index]["protocol"]
  cidr_block      = lookup(var.public_inbound_acl_rules[count.index], "cidr_block", null)
  ipv6_cidr_block = lookup(var.public_inbound_acl_rules[count.index], "ipv6_cidr_block", null)
}

resource "aws_internet_gateway" "this" {
  count  = local.create_public ? 1 : 0
  vpc_id = local.vpc_id
}

resource "aws_eip" "nat" {
  count      = var.enable_nat_gateway ? local.nat_gateway_count : 0
  domain     = "vpc"
  depends_on = [aws_internet_gateway.this]
}

resource "aws_nat_gateway" "this" {
  count = var.enable_nat_gateway ? local.nat_gateway_count : 0

  allocation_id = element(local.nat_gateway_ips, var.single_nat_gateway ? 0 : count.index)
  subnet_id     = element(aws_subnet.public[*].id, var.single_nat_gateway ? 0 : count.index)
}

resource "aws_route_table" "private" {
  count  = length(local.private_subnets)
  vpc_id = local.vpc_id
}

resource "aws_route" "private_nat_gateway" {
  count = var.enable_nat_gateway ? local.nat_gateway_count : 0

  route_table_id         = element(aws_route_table.private[*].id, count.index)
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = element(aws_nat_gateway.this[*].id, count.index)

  timeouts {
    create = "5m"
  }
}

moved {
  from = aws_route_table.main
  to   = aws_route_table.private
}

output "vpc_arn" {
  description = "The ARN of the VPC"
  value       = try(aws_vpc.this[0].arn, null)
}

output "natgw_interface_ids" {
  value = aws_nat_gateway.this[*].network_interface_id
}

output "private_subnet_objects" {
  value = aws_subnet.private
}

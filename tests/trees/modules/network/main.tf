resource "aws_vpc" "this" {
  count = var.create ? 1 : 0

  cidr_block           = var.cidr
  enable_dns_hostnames = true
  enable_dns_support   = true
  tags                 = merge(local.default_tags, { Name = var.name })
}

resource "aws_subnet" "this" {
  for_each = { for key, subnet in local.subnets : key => subnet if var.create }

  vpc_id                  = aws_vpc.this[0].id
  cidr_block              = each.value.cidr
  availability_zone       = each.value.az
  map_public_ip_on_launch = each.value.kind == "public"
  tags                    = merge(local.default_tags, { Name = "${var.name}-${each.key}", Kind = each.value.kind })
}

resource "aws_internet_gateway" "this" {
  count = var.create && length(var.public_subnets) > 0 ? 1 : 0

  vpc_id = aws_vpc.this[0].id
  tags   = merge(local.public_tags, { Name = var.name })
}

resource "aws_eip" "nat" {
  count = var.create && length(var.private_subnets) > 0 ? local.nat_count : 0

  domain = "vpc"
  tags   = merge(local.public_tags, { Name = format("%s-%s", var.name, element(var.azs, count.index)) })
}

resource "aws_nat_gateway" "this" {
  count = length(aws_eip.nat)

  allocation_id = aws_eip.nat[count.index].id
  subnet_id     = aws_subnet.this["public-${count.index}"].id
  tags          = merge(local.public_tags, { Name = format("%s-%s", var.name, element(var.azs, count.index)) })
  depends_on    = [aws_internet_gateway.this]
}

resource "aws_route_table" "this" {
  for_each = var.create ? local.kinds : toset([])

  vpc_id = aws_vpc.this[0].id
  tags   = merge(local.private_tags, { Name = "${var.name}-${each.key}" })

  dynamic "route" {
    for_each = each.key == "public" ? aws_internet_gateway.this[*].id : []
    content {
      cidr_block = "0.0.0.0/0"
      gateway_id = route.value
    }
  }

  dynamic "route" {
    for_each = each.key == "private" ? slice(aws_nat_gateway.this[*].id, 0, 1) : []
    content {
      cidr_block     = "0.0.0.0/0"
      nat_gateway_id = route.value
    }
  }
}

resource "aws_route_table_association" "this" {
  for_each = aws_subnet.this

  subnet_id      = each.value.id
  route_table_id = aws_route_table.this[local.subnets[each.key].kind].id
}

resource "aws_default_security_group" "this" {
  count = var.create ? 1 : 0

  vpc_id = aws_vpc.this[0].id
  tags   = merge(local.internal_tags, { Name = "${var.name}-default" })

  dynamic "ingress" {
    for_each = var.ingress_rules
    content {
      from_port   = ingress.value.port
      to_port     = ingress.value.port
      protocol    = ingress.value.protocol
      cidr_blocks = ingress.value.cidrs
    }
  }
}

resource "aws_cloudwatch_log_group" "flow" {
  count = var.create && var.network_logging_enabled ? 1 : 0

  name              = "/aws/vpc/${local.logging_name}"
  retention_in_days = var.network_logging_timeout
  tags              = local.logging_tags
}

terraform {
  required_providers {
    lab5 = {
      source = "planlens/lab5"
    }
  }
}

variable "name" {
  type = string
}

variable "cidr" {
  type = string
}

variable "zones" {
  type = list(string)
}

variable "one_nat_per_zone" {
  type = bool
}

locals {
  tags    = { Environment = var.name, Owner = "infra" }
  public  = { for i, zone in var.zones : zone => cidrsubnet(var.cidr, 8, i) }
  private = { for i, zone in var.zones : zone => cidrsubnet(var.cidr, 4, i + 8) }
  data    = { for i, zone in var.zones : zone => cidrsubnet(var.cidr, 8, i + 100) }
  nats    = var.one_nat_per_zone ? toset(var.zones) : toset(slice(var.zones, 0, 1))
}

resource "lab5_vpc" "this" {
  cidr_block           = var.cidr
  enable_dns_hostnames = true
  tags                 = merge(local.tags, { Name = var.name })
}

resource "lab5_gateway" "this" {
  vpc_id = lab5_vpc.this.id
  tags   = merge(local.tags, { Name = var.name })
}

resource "lab5_subnet" "public" {
  for_each = local.public

  vpc_id                  = lab5_vpc.this.id
  cidr_block              = each.value
  availability_zone       = each.key
  map_public_ip_on_launch = true
  tags                    = merge(local.tags, { Name = "${var.name}-public-${each.key}", "kubernetes.io/role/elb" = "1" })
}

resource "lab5_subnet" "private" {
  for_each = local.private

  vpc_id            = lab5_vpc.this.id
  cidr_block        = each.value
  availability_zone = each.key
  tags              = merge(local.tags, { Name = "${var.name}-private-${each.key}" })
}

resource "lab5_subnet" "data" {
  for_each = local.data

  vpc_id            = lab5_vpc.this.id
  cidr_block        = each.value
  availability_zone = each.key
  tags              = merge(local.tags, { Name = "${var.name}-data-${each.key}" })
}

resource "lab5_eip" "nat" {
  for_each = local.nats

  domain = "vpc"
  tags   = merge(local.tags, { Name = "${var.name}-nat-${each.key}" })
}

resource "lab5_nat" "this" {
  for_each = local.nats

  allocation_id = lab5_eip.nat[each.key].allocation_id
  subnet_id     = lab5_subnet.public[each.key].id
  tags          = local.tags
  depends_on    = [lab5_gateway.this]
}

resource "lab5_route_table" "public" {
  vpc_id = lab5_vpc.this.id
  tags   = merge(local.tags, { Name = "${var.name}-public" })

  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = lab5_gateway.this.id
  }
}

resource "lab5_route_table" "private" {
  for_each = toset(var.zones)

  vpc_id = lab5_vpc.this.id
  tags   = merge(local.tags, { Name = "${var.name}-private-${each.key}" })
}

resource "lab5_route" "private" {
  for_each = toset(var.zones)

  route_table_id         = lab5_route_table.private[each.key].id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = lab5_nat.this[var.one_nat_per_zone ? each.key : var.zones[0]].id
}

resource "lab5_association" "public" {
  for_each = lab5_subnet.public

  subnet_id      = each.value.id
  route_table_id = lab5_route_table.public.id
}

resource "lab5_association" "private" {
  for_each = merge(
    { for zone, subnet in lab5_subnet.private : "private-${zone}" => { subnet = subnet.id, zone = zone } },
    { for zone, subnet in lab5_subnet.data : "data-${zone}" => { subnet = subnet.id, zone = zone } },
  )

  subnet_id      = each.value.subnet
  route_table_id = lab5_route_table.private[each.value.zone].id
}

output "vpc" {
  value = lab5_vpc.this
}

output "public" {
  value = { for zone, subnet in lab5_subnet.public : zone => subnet.id }
}

output "private" {
  value = { for zone, subnet in lab5_subnet.private : zone => subnet.id }
}

output "addresses" {
  value = [for address in lab5_eip.nat : address.public_ip]
}

terraform {
  required_version = ">= 1.3"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}

variable "rules" {
  description = "name => [from, to, protocol, description]"
  type        = map(list(any))
  default = {
    http-80-tcp   = [80, 80, "tcp", "HTTP"]
    https-443-tcp = [443, 443, "tcp", "HTTPS"]
    all-all       = [-1, -1, "-1", "All"]
    _             = ["", "", ""]
  }
}

variable "ingress_rules" {
  type    = list(string)
  default = ["http-80-tcp", "https-443-tcp"]
}

variable "ingress_with_cidr_blocks" {
  type    = list(map(string))
  default = [{ from_port = 8080, to_port = 8090, protocol = "tcp", cidr_blocks = "10.0.0.0/8,192.168.0.0/16" }, { rule = "https-443-tcp" }]
}

variable "computed" {
  type    = any
  default = null
}

data "aws_vpc" "selected" {
  default = true
}

locals {
  this_sg_id = concat(aws_security_group.this[*].id, aws_security_group.prefix[*].id, [""])[0]
  flat = flatten([
    for i, rule in var.ingress_with_cidr_blocks : [
      for cidr in split(",", lookup(rule, "cidr_blocks", "0.0.0.0/0")) : {
        key  = "${i}-${cidr}"
        cidr = cidr
        from = tonumber(lookup(rule, "from_port", var.rules[lookup(rule, "rule", "_")][0]))
        to   = tonumber(lookup(rule, "to_port", var.rules[lookup(rule, "rule", "_")][1]))
      }
    ]
  ])
}

resource "aws_security_group" "this" {
  count       = 1
  name        = "web"
  description = "x"
  vpc_id      = data.aws_vpc.selected.id
}

resource "aws_security_group" "prefix" {
  count                  = 0
  name_prefix            = "web-"
  revoke_rules_on_delete = true
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_security_group_rule" "ingress_rules" {
  count             = length(var.ingress_rules)
  security_group_id = local.this_sg_id
  type              = "ingress"
  cidr_blocks       = ["0.0.0.0/0"]
  description       = var.rules[var.ingress_rules[count.index]][3]
  from_port         = var.rules[var.ingress_rules[count.index]][0]
  to_port           = var.rules[var.ingress_rules[count.index]][1]
  protocol          = var.rules[var.ingress_rules[count.index]][2]
}

resource "aws_security_group_rule" "with_cidr" {
  count             = length(var.ingress_with_cidr_blocks)
  security_group_id = local.this_sg_id
  type              = "ingress"
  cidr_blocks       = compact(split(",", lookup(var.ingress_with_cidr_blocks[count.index], "cidr_blocks", join(",", ["0.0.0.0/0"]))))
  from_port = lookup(
    var.ingress_with_cidr_blocks[count.index],
    "from_port",
    var.rules[lookup(var.ingress_with_cidr_blocks[count.index], "rule", "_")][0],
  )
  to_port  = lookup(var.ingress_with_cidr_blocks[count.index], "to_port", var.rules[lookup(var.ingress_with_cidr_blocks[count.index], "rule", "_")][1])
  protocol = lookup(var.ingress_with_cidr_blocks[count.index], "protocol", var.rules[lookup(var.ingress_with_cidr_blocks[count.index], "rule", "_")][2])
}

resource "aws_vpc_security_group_ingress_rule" "flat" {
  for_each          = { for r in local.flat : r.key => r }
  security_group_id = local.this_sg_id
  cidr_ipv4         = each.value.cidr
  from_port         = each.value.from
  to_port           = each.value.to
  ip_protocol       = "tcp"
}

resource "aws_security_group" "inline" {
  dynamic "egress" {
    for_each = toset(["10.0.0.0/8"])
    iterator = it
    content {
      from_port   = 0
      to_port     = 0
      protocol    = "-1"
      cidr_blocks = [it.key]
    }
  }
  ingress = [{
    cidr_blocks      = ["10.0.0.0/8"]
    description      = "x"
    from_port        = 1
    to_port          = 2
    protocol         = "tcp"
    ipv6_cidr_blocks = null
    prefix_list_ids  = null
    security_groups  = null
    self             = null
  }]
}

output "ids" {
  value = { for k, r in aws_vpc_security_group_ingress_rule.flat : k => r.security_group_rule_id }
}

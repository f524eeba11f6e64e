terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0"
    }
  }
}


variable "rules" {
  description = "Map of known security group rules (define as 'name' = ['from port', 'to port', 'protocol', 'description'])"
  type        = map(list(any))
  default = {
    http-80-tcp   = [80, 80, "tcp", "HTTP"]
    https-443-tcp = [443, 443, "tcp", "HTTPS"]
    all-all       = [-1, -1, "-1", "All protocols"]
  }
}

variable "auto_groups" {
  type = map(map(list(string)))
  default = {
    web = {
      ingress_rules     = ["http-80-tcp", "https-443-tcp"]
      ingress_with_self = ["all-all"]
      egress_rules      = ["all-all"]
    }
  }
}

variable "ingress_with_cidr_blocks" {
  type    = list(map(string))
  default = [{ rule = "https-443-tcp", cidr_blocks = "10.10.0.0/16,10.11.0.0/16" }, { from_port = 8080, to_port = 8090, protocol = 6 }]
}

variable "ingress_rules" {
  type    = list(string)
  default = ["http-80-tcp"]
}

variable "use_name_prefix" {
  type    = bool
  default = true
}

locals {
  this_sg_id = concat(aws_security_group.this.*.id, aws_security_group.this_name_prefix.*.id, [""])[0]
}

resource "aws_security_group" "this" {
  count                  = !var.use_name_prefix ? 1 : 0
  name                   = "web"
  vpc_id                 = "vpc-1"
  revoke_rules_on_delete = true
  timeouts {
    create = "10m"
    delete = "15m"
  }
}

resource "aws_security_group" "this_name_prefix" {
  count       = var.use_name_prefix ? 1 : 0
  name_prefix = "web-"
  vpc_id      = "vpc-1"
  tags = merge(
    {
      "Name" = format("%s", "web")
    },
  )
  lifecycle {
    create_before_destroy = true
  }
}

resource "aws_security_group_rule" "ingress_rules" {
  count = length(var.ingress_rules)

  security_group_id = local.this_sg_id
  type              = "ingress"
  cidr_blocks       = ["10.0.0.0/8"]
  prefix_list_ids   = []
  description       = var.rules[var.ingress_rules[count.index]][3]
  from_port         = var.rules[var.ingress_rules[count.index]][0]
  to_port           = var.rules[var.ingress_rules[count.index]][1]
  protocol          = var.rules[var.ingress_rules[count.index]][2]
}

resource "aws_security_group_rule" "ingress_with_cidr_blocks" {
  count = length(var.ingress_with_cidr_blocks)

  security_group_id = local.this_sg_id
  type              = "ingress"
  cidr_blocks = compact(split(
    ",",
    lookup(
      var.ingress_with_cidr_blocks[count.index],
      "cidr_blocks",
      join(",", ["0.0.0.0/0"]),
    ),
  ))
  from_port = lookup(
    var.ingress_with_cidr_blocks[count.index],
    "from_port",
    var.rules[lookup(var.ingress_with_cidr_blocks[count.index], "rule", "all-all")][0],
  )
  to_port = lookup(
    var.ingress_with_cidr_blocks[count.index],
    "to_port",
    var.rules[lookup(var.ingress_with_cidr_blocks[count.index], "rule", "all-all")][1],
  )
  protocol = lookup(
    var.ingress_with_cidr_blocks[count.index],
    "protocol",
    var.rules[lookup(var.ingress_with_cidr_blocks[count.index], "rule", "all-all")][2],
  )
}

resource "aws_default_security_group" "default" {
  vpc_id = "vpc-1"

  dynamic "ingress" {
    for_each = [for r in var.ingress_with_cidr_blocks : r if lookup(r, "self", false) != false]
    content {
      self        = lookup(ingress.value, "self", null)
      cidr_blocks = compact(split(",", lookup(ingress.value, "cidr_blocks", "")))
      from_port   = lookup(ingress.value, "from_port", 0)
      to_port     = lookup(ingress.value, "to_port", 0)
      protocol    = lookup(ingress.value, "protocol", "-1")
    }
  }
}

output "security_group_arn" {
  value = try(aws_security_group.this[0].arn, aws_security_group.this_name_prefix[0].arn, "")
}

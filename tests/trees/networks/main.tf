terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "6.9.0"
    }
  }
}

provider "aws" {
  region = local.region
  default_tags {
    tags = local.tags
  }
}

locals {
  name   = "networks"
  region = "eu-west-1"
  azs    = ["a", "b", "c"]
  cidr   = "10.0.0.0/16"
  tags   = { Example = local.name, Repository = "planlens", Stage = "test" }
}

module "network" {
  source = "../modules/network"

  name             = local.name
  cidr             = local.cidr
  azs              = [for az in local.azs : "${local.region}${az}"]
  public_subnets   = [for index, az in local.azs : cidrsubnet(local.cidr, 8, index)]
  private_subnets  = [for index, az in local.azs : cidrsubnet(local.cidr, 8, index + 10)]
  database_subnets = [for index, az in local.azs : cidrsubnet(local.cidr, 8, index + 20)]
  tags             = local.tags
  ingress_rules    = [{ port = 443, cidrs = [local.cidr] }]
}

module "spoke_0" {
  source = "../modules/network"

  name               = "${local.name}-0"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 1)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 1), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 1), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "0", Hub = local.cidr })
  single_nat_gateway = false
}

module "spoke_1" {
  source = "../modules/network"

  name               = "${local.name}-1"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 2)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 2), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 2), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "1", Hub = local.cidr })
  single_nat_gateway = true
}

module "spoke_2" {
  source = "../modules/network"

  name               = "${local.name}-2"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 3)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 3), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 3), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "2", Hub = local.cidr })
  single_nat_gateway = false
}

module "spoke_3" {
  source = "../modules/network"

  name               = "${local.name}-3"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 4)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 4), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 4), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "3", Hub = local.cidr })
  single_nat_gateway = true
}

module "spoke_4" {
  source = "../modules/network"

  name               = "${local.name}-4"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 5)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 5), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 5), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "4", Hub = local.cidr })
  single_nat_gateway = false
}

module "spoke_5" {
  source = "../modules/network"

  name               = "${local.name}-5"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 6)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 6), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 6), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "5", Hub = local.cidr })
  single_nat_gateway = true
}

module "spoke_6" {
  source = "../modules/network"

  name               = "${local.name}-6"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 7)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 7), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 7), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "6", Hub = local.cidr })
  single_nat_gateway = false
}

module "spoke_7" {
  source = "../modules/network"

  name               = "${local.name}-7"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 8)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 8), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 8), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "7", Hub = local.cidr })
  single_nat_gateway = true
}

module "spoke_8" {
  source = "../modules/network"

  name               = "${local.name}-8"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 9)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 9), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 9), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "8", Hub = local.cidr })
  single_nat_gateway = false
}

module "spoke_9" {
  source = "../modules/network"

  name               = "${local.name}-9"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 10)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 10), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 10), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "9", Hub = local.cidr })
  single_nat_gateway = true
}

module "spoke_10" {
  source = "../modules/network"

  name               = "${local.name}-10"
  cidr               = cidrsubnet("10.0.0.0/8", 8, 11)
  azs                = [for az in local.azs : "${local.region}${az}"]
  public_subnets     = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 11), 8, index)]
  private_subnets    = [for index, az in local.azs : cidrsubnet(cidrsubnet("10.0.0.0/8", 8, 11), 8, index + 10)]
  tags               = merge(local.tags, { Spoke = "10", Hub = local.cidr })
  single_nat_gateway = false
}

output "middle" {
  value = module.spoke_5.default_name
}

output "last" {
  value = module.spoke_10.default_name
}

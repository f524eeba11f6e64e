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
  name   = "clusters"
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

module "blue" {
  source = "../modules/cluster"

  name    = "${local.name}-blue"
  vpc_id  = module.network.vpc_id
  subnets = module.network.private_subnets
  tags    = merge(local.tags, { Cluster = "blue", Cidr = local.cidr })
  addons  = { coredns = "v1.11.0", kube-proxy = "v1.31.0", vpc-cni = "v1.19.0" }
  access  = { admin = { principal = "arn:aws:iam::123456789012:role/admin", groups = ["admins"] } }
  groups = {
    system = { sizes = { min = 1, max = 2, desired = 1 }, taints = { system = { value = "true", effect = "NO_SCHEDULE" } } }
    web    = { instance_types = ["m6i.xlarge"] }
    batch  = { sizes = { min = 0, max = 10, desired = 0 } }
  }
}

module "green" {
  source = "../modules/cluster"

  name    = "${local.name}-green"
  vpc_id  = module.network.vpc_id
  subnets = module.network.private_subnets
  tags    = merge(local.tags, { Cluster = "green", Cidr = local.cidr })
  addons  = { coredns = "v1.11.1", kube-proxy = "v1.31.0", vpc-cni = "v1.19.0" }
  access  = { admin = { principal = "arn:aws:iam::123456789012:role/admin", groups = ["admins"] } }
  groups = {
    system = { sizes = { min = 1, max = 2, desired = 1 }, taints = { system = { value = "true", effect = "NO_SCHEDULE" } } }
    web    = { instance_types = ["m6i.xlarge"] }
    batch  = { sizes = { min = 0, max = 10, desired = 1 } }
  }
}

module "build" {
  source = "../modules/cluster"

  name    = "${local.name}-build"
  vpc_id  = module.network.vpc_id
  subnets = module.network.private_subnets
  tags    = merge(local.tags, { Cluster = "build", Cidr = local.cidr })
  addons  = { coredns = "v1.11.2", kube-proxy = "v1.31.0", vpc-cni = "v1.19.0" }
  access  = { admin = { principal = "arn:aws:iam::123456789012:role/admin", groups = ["admins"] } }
  groups = {
    system = { sizes = { min = 1, max = 2, desired = 1 }, taints = { system = { value = "true", effect = "NO_SCHEDULE" } } }
    web    = { instance_types = ["m6i.xlarge"] }
    batch  = { sizes = { min = 0, max = 10, desired = 2 } }
  }
}

output "middle" {
  value = module.green.default_name
}

output "last" {
  value = module.build.default_name
}

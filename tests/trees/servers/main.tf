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
  name   = "servers"
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

module "server_0" {
  source = "../modules/server"

  name          = "${local.name}-0"
  instance_type = "t3.micro"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 0)
  ports         = [443, 8000]
  volumes       = { f = { size = 10 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "0", Cidr = local.cidr })
}

module "server_1" {
  source = "../modules/server"

  name          = "${local.name}-1"
  instance_type = "t3.small"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 1)
  ports         = [443, 8001]
  volumes       = { f = { size = 11 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "1", Cidr = local.cidr })
}

module "server_2" {
  source = "../modules/server"

  name          = "${local.name}-2"
  instance_type = "m6i.large"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 2)
  ports         = [443, 8002]
  volumes       = { f = { size = 12 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "2", Cidr = local.cidr })
}

module "server_3" {
  source = "../modules/server"

  name          = "${local.name}-3"
  instance_type = "t3.micro"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 3)
  ports         = [443, 8003]
  volumes       = { f = { size = 13 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "3", Cidr = local.cidr })
}

module "server_4" {
  source = "../modules/server"

  name          = "${local.name}-4"
  instance_type = "t3.small"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 4)
  ports         = [443, 8004]
  volumes       = { f = { size = 14 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "4", Cidr = local.cidr })
}

module "server_5" {
  source = "../modules/server"

  name          = "${local.name}-5"
  instance_type = "m6i.large"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 5)
  ports         = [443, 8005]
  volumes       = { f = { size = 15 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "5", Cidr = local.cidr })
}

module "server_6" {
  source = "../modules/server"

  name          = "${local.name}-6"
  instance_type = "t3.micro"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 6)
  ports         = [443, 8006]
  volumes       = { f = { size = 16 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "6", Cidr = local.cidr })
}

module "server_7" {
  source = "../modules/server"

  name          = "${local.name}-7"
  instance_type = "t3.small"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 7)
  ports         = [443, 8007]
  volumes       = { f = { size = 17 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "7", Cidr = local.cidr })
}

module "server_8" {
  source = "../modules/server"

  name          = "${local.name}-8"
  instance_type = "m6i.large"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 8)
  ports         = [443, 8008]
  volumes       = { f = { size = 18 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "8", Cidr = local.cidr })
}

module "server_9" {
  source = "../modules/server"

  name          = "${local.name}-9"
  instance_type = "t3.micro"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 9)
  ports         = [443, 8009]
  volumes       = { f = { size = 19 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "9", Cidr = local.cidr })
}

module "server_10" {
  source = "../modules/server"

  name          = "${local.name}-10"
  instance_type = "t3.small"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 10)
  ports         = [443, 8010]
  volumes       = { f = { size = 20 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "10", Cidr = local.cidr })
}

module "server_11" {
  source = "../modules/server"

  name          = "${local.name}-11"
  instance_type = "m6i.large"
  vpc_id        = module.network.vpc_id
  subnet_id     = element(module.network.private_subnets, 11)
  ports         = [443, 8011]
  volumes       = { f = { size = 21 }, g = { size = 20, type = "io2" } }
  tags          = merge(local.tags, { Server = "11", Cidr = local.cidr })
}

output "middle" {
  value = module.server_6.default_name
}

output "last" {
  value = module.server_11.default_name
}

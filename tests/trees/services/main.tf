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
  name   = "services"
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

resource "aws_ecs_cluster" "this" {
  name = local.name
  tags = local.tags
  setting {
    name  = "containerInsights"
    value = "enabled"
  }
}

module "web" {
  source = "../modules/service"

  name          = "${local.name}-web"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 1
  tags          = merge(local.tags, { Service = "web", Cidr = local.cidr })
  containers = {
    web = {
      image       = "example/web:1.0"
      ports       = [8080]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "api" {
  source = "../modules/service"

  name          = "${local.name}-api"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 2
  tags          = merge(local.tags, { Service = "api", Cidr = local.cidr })
  containers = {
    api = {
      image       = "example/api:1.1"
      ports       = [8081]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "worker" {
  source = "../modules/service"

  name          = "${local.name}-worker"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 3
  tags          = merge(local.tags, { Service = "worker", Cidr = local.cidr })
  containers = {
    worker = {
      image       = "example/worker:1.2"
      ports       = [8082]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "search" {
  source = "../modules/service"

  name          = "${local.name}-search"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 4
  tags          = merge(local.tags, { Service = "search", Cidr = local.cidr })
  containers = {
    search = {
      image       = "example/search:1.3"
      ports       = [8083]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "mail" {
  source = "../modules/service"

  name          = "${local.name}-mail"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 1
  tags          = merge(local.tags, { Service = "mail", Cidr = local.cidr })
  containers = {
    mail = {
      image       = "example/mail:1.4"
      ports       = [8084]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "billing" {
  source = "../modules/service"

  name          = "${local.name}-billing"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 2
  tags          = merge(local.tags, { Service = "billing", Cidr = local.cidr })
  containers = {
    billing = {
      image       = "example/billing:1.5"
      ports       = [8085]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "admin" {
  source = "../modules/service"

  name          = "${local.name}-admin"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 3
  tags          = merge(local.tags, { Service = "admin", Cidr = local.cidr })
  containers = {
    admin = {
      image       = "example/admin:1.6"
      ports       = [8086]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "reports" {
  source = "../modules/service"

  name          = "${local.name}-reports"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 4
  tags          = merge(local.tags, { Service = "reports", Cidr = local.cidr })
  containers = {
    reports = {
      image       = "example/reports:1.7"
      ports       = [8087]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "events" {
  source = "../modules/service"

  name          = "${local.name}-events"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 1
  tags          = merge(local.tags, { Service = "events", Cidr = local.cidr })
  containers = {
    events = {
      image       = "example/events:1.8"
      ports       = [8088]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "auth" {
  source = "../modules/service"

  name          = "${local.name}-auth"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 2
  tags          = merge(local.tags, { Service = "auth", Cidr = local.cidr })
  containers = {
    auth = {
      image       = "example/auth:1.9"
      ports       = [8089]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "media" {
  source = "../modules/service"

  name          = "${local.name}-media"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 3
  tags          = merge(local.tags, { Service = "media", Cidr = local.cidr })
  containers = {
    media = {
      image       = "example/media:1.10"
      ports       = [8090]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

module "sync" {
  source = "../modules/service"

  name          = "${local.name}-sync"
  cluster_arn   = aws_ecs_cluster.this.arn
  vpc_id        = module.network.vpc_id
  subnets       = module.network.private_subnets
  desired_count = 4
  tags          = merge(local.tags, { Service = "sync", Cidr = local.cidr })
  containers = {
    sync = {
      image       = "example/sync:1.11"
      ports       = [8091]
      environment = { STAGE = local.tags.Stage, LEVEL = "info" }
    }
    proxy = {
      image  = "example/proxy:2.0"
      memory = 128
    }
  }
}

output "middle" {
  value = module.mail.default_name
}

output "last" {
  value = module.sync.default_name
}

locals {
  primary_tags        = merge(var.tags, var.network_primary_tags, { Tier = "primary" })
  primary_labels      = { for key, value in merge(local.primary_tags, var.network_primary_labels) : lower(key) => trimspace(value) }
  primary_name        = coalesce(var.network_primary_name, "${var.name}-primary")
  primary_settings    = { for key, value in { timeout = var.network_primary_timeout, limit = var.network_primary_limit, port = var.network_primary_port } : key => tostring(value) if var.network_primary_enabled }
  secondary_tags      = merge(var.tags, var.network_secondary_tags, { Tier = "secondary" })
  secondary_labels    = { for key, value in merge(local.secondary_tags, var.network_secondary_labels) : lower(key) => trimspace(value) }
  secondary_name      = coalesce(var.network_secondary_name, "${var.name}-secondary")
  secondary_settings  = { for key, value in { timeout = var.network_secondary_timeout, limit = var.network_secondary_limit, port = var.network_secondary_port } : key => tostring(value) if var.network_secondary_enabled }
  public_tags         = merge(var.tags, var.network_public_tags, { Tier = "public" })
  public_labels       = { for key, value in merge(local.public_tags, var.network_public_labels) : lower(key) => trimspace(value) }
  public_name         = coalesce(var.network_public_name, "${var.name}-public")
  public_settings     = { for key, value in { timeout = var.network_public_timeout, limit = var.network_public_limit, port = var.network_public_port } : key => tostring(value) if var.network_public_enabled }
  private_tags        = merge(var.tags, var.network_private_tags, { Tier = "private" })
  private_labels      = { for key, value in merge(local.private_tags, var.network_private_labels) : lower(key) => trimspace(value) }
  private_name        = coalesce(var.network_private_name, "${var.name}-private")
  private_settings    = { for key, value in { timeout = var.network_private_timeout, limit = var.network_private_limit, port = var.network_private_port } : key => tostring(value) if var.network_private_enabled }
  internal_tags       = merge(var.tags, var.network_internal_tags, { Tier = "internal" })
  internal_labels     = { for key, value in merge(local.internal_tags, var.network_internal_labels) : lower(key) => trimspace(value) }
  internal_name       = coalesce(var.network_internal_name, "${var.name}-internal")
  internal_settings   = { for key, value in { timeout = var.network_internal_timeout, limit = var.network_internal_limit, port = var.network_internal_port } : key => tostring(value) if var.network_internal_enabled }
  backup_tags         = merge(var.tags, var.network_backup_tags, { Tier = "backup" })
  backup_labels       = { for key, value in merge(local.backup_tags, var.network_backup_labels) : lower(key) => trimspace(value) }
  backup_name         = coalesce(var.network_backup_name, "${var.name}-backup")
  backup_settings     = { for key, value in { timeout = var.network_backup_timeout, limit = var.network_backup_limit, port = var.network_backup_port } : key => tostring(value) if var.network_backup_enabled }
  monitoring_tags     = merge(var.tags, var.network_monitoring_tags, { Tier = "monitoring" })
  monitoring_labels   = { for key, value in merge(local.monitoring_tags, var.network_monitoring_labels) : lower(key) => trimspace(value) }
  monitoring_name     = coalesce(var.network_monitoring_name, "${var.name}-monitoring")
  monitoring_settings = { for key, value in { timeout = var.network_monitoring_timeout, limit = var.network_monitoring_limit, port = var.network_monitoring_port } : key => tostring(value) if var.network_monitoring_enabled }
  logging_tags        = merge(var.tags, var.network_logging_tags, { Tier = "logging" })
  logging_labels      = { for key, value in merge(local.logging_tags, var.network_logging_labels) : lower(key) => trimspace(value) }
  logging_name        = coalesce(var.network_logging_name, "${var.name}-logging")
  logging_settings    = { for key, value in { timeout = var.network_logging_timeout, limit = var.network_logging_limit, port = var.network_logging_port } : key => tostring(value) if var.network_logging_enabled }
  audit_tags          = merge(var.tags, var.network_audit_tags, { Tier = "audit" })
  audit_labels        = { for key, value in merge(local.audit_tags, var.network_audit_labels) : lower(key) => trimspace(value) }
  audit_name          = coalesce(var.network_audit_name, "${var.name}-audit")
  audit_settings      = { for key, value in { timeout = var.network_audit_timeout, limit = var.network_audit_limit, port = var.network_audit_port } : key => tostring(value) if var.network_audit_enabled }
  default_tags        = merge(var.tags, var.network_default_tags, { Tier = "default" })
  default_labels      = { for key, value in merge(local.default_tags, var.network_default_labels) : lower(key) => trimspace(value) }
  default_name        = coalesce(var.network_default_name, "${var.name}-default")
  default_settings    = { for key, value in { timeout = var.network_default_timeout, limit = var.network_default_limit, port = var.network_default_port } : key => tostring(value) if var.network_default_enabled }
}

locals {
  nat_count = var.single_nat_gateway ? 1 : length(var.azs)
  subnets = merge(
    { for index, cidr in var.public_subnets : "public-${index}" => { cidr = cidr, kind = "public", az = element(var.azs, index) } },
    { for index, cidr in var.private_subnets : "private-${index}" => { cidr = cidr, kind = "private", az = element(var.azs, index) } },
    { for index, cidr in var.database_subnets : "database-${index}" => { cidr = cidr, kind = "database", az = element(var.azs, index) } },
  )
  kinds = toset([for subnet in local.subnets : subnet.kind])
}

locals {
  primary_tags        = merge(var.tags, var.cluster_primary_tags, { Tier = "primary" })
  primary_labels      = { for key, value in merge(local.primary_tags, var.cluster_primary_labels) : lower(key) => trimspace(value) }
  primary_name        = coalesce(var.cluster_primary_name, "${var.name}-primary")
  primary_settings    = { for key, value in { timeout = var.cluster_primary_timeout, limit = var.cluster_primary_limit, port = var.cluster_primary_port } : key => tostring(value) if var.cluster_primary_enabled }
  secondary_tags      = merge(var.tags, var.cluster_secondary_tags, { Tier = "secondary" })
  secondary_labels    = { for key, value in merge(local.secondary_tags, var.cluster_secondary_labels) : lower(key) => trimspace(value) }
  secondary_name      = coalesce(var.cluster_secondary_name, "${var.name}-secondary")
  secondary_settings  = { for key, value in { timeout = var.cluster_secondary_timeout, limit = var.cluster_secondary_limit, port = var.cluster_secondary_port } : key => tostring(value) if var.cluster_secondary_enabled }
  public_tags         = merge(var.tags, var.cluster_public_tags, { Tier = "public" })
  public_labels       = { for key, value in merge(local.public_tags, var.cluster_public_labels) : lower(key) => trimspace(value) }
  public_name         = coalesce(var.cluster_public_name, "${var.name}-public")
  public_settings     = { for key, value in { timeout = var.cluster_public_timeout, limit = var.cluster_public_limit, port = var.cluster_public_port } : key => tostring(value) if var.cluster_public_enabled }
  private_tags        = merge(var.tags, var.cluster_private_tags, { Tier = "private" })
  private_labels      = { for key, value in merge(local.private_tags, var.cluster_private_labels) : lower(key) => trimspace(value) }
  private_name        = coalesce(var.cluster_private_name, "${var.name}-private")
  private_settings    = { for key, value in { timeout = var.cluster_private_timeout, limit = var.cluster_private_limit, port = var.cluster_private_port } : key => tostring(value) if var.cluster_private_enabled }
  internal_tags       = merge(var.tags, var.cluster_internal_tags, { Tier = "internal" })
  internal_labels     = { for key, value in merge(local.internal_tags, var.cluster_internal_labels) : lower(key) => trimspace(value) }
  internal_name       = coalesce(var.cluster_internal_name, "${var.name}-internal")
  internal_settings   = { for key, value in { timeout = var.cluster_internal_timeout, limit = var.cluster_internal_limit, port = var.cluster_internal_port } : key => tostring(value) if var.cluster_internal_enabled }
  backup_tags         = merge(var.tags, var.cluster_backup_tags, { Tier = "backup" })
  backup_labels       = { for key, value in merge(local.backup_tags, var.cluster_backup_labels) : lower(key) => trimspace(value) }
  backup_name         = coalesce(var.cluster_backup_name, "${var.name}-backup")
  backup_settings     = { for key, value in { timeout = var.cluster_backup_timeout, limit = var.cluster_backup_limit, port = var.cluster_backup_port } : key => tostring(value) if var.cluster_backup_enabled }
  monitoring_tags     = merge(var.tags, var.cluster_monitoring_tags, { Tier = "monitoring" })
  monitoring_labels   = { for key, value in merge(local.monitoring_tags, var.cluster_monitoring_labels) : lower(key) => trimspace(value) }
  monitoring_name     = coalesce(var.cluster_monitoring_name, "${var.name}-monitoring")
  monitoring_settings = { for key, value in { timeout = var.cluster_monitoring_timeout, limit = var.cluster_monitoring_limit, port = var.cluster_monitoring_port } : key => tostring(value) if var.cluster_monitoring_enabled }
  logging_tags        = merge(var.tags, var.cluster_logging_tags, { Tier = "logging" })
  logging_labels      = { for key, value in merge(local.logging_tags, var.cluster_logging_labels) : lower(key) => trimspace(value) }
  logging_name        = coalesce(var.cluster_logging_name, "${var.name}-logging")
  logging_settings    = { for key, value in { timeout = var.cluster_logging_timeout, limit = var.cluster_logging_limit, port = var.cluster_logging_port } : key => tostring(value) if var.cluster_logging_enabled }
  audit_tags          = merge(var.tags, var.cluster_audit_tags, { Tier = "audit" })
  audit_labels        = { for key, value in merge(local.audit_tags, var.cluster_audit_labels) : lower(key) => trimspace(value) }
  audit_name          = coalesce(var.cluster_audit_name, "${var.name}-audit")
  audit_settings      = { for key, value in { timeout = var.cluster_audit_timeout, limit = var.cluster_audit_limit, port = var.cluster_audit_port } : key => tostring(value) if var.cluster_audit_enabled }
  default_tags        = merge(var.tags, var.cluster_default_tags, { Tier = "default" })
  default_labels      = { for key, value in merge(local.default_tags, var.cluster_default_labels) : lower(key) => trimspace(value) }
  default_name        = coalesce(var.cluster_default_name, "${var.name}-default")
  default_settings    = { for key, value in { timeout = var.cluster_default_timeout, limit = var.cluster_default_limit, port = var.cluster_default_port } : key => tostring(value) if var.cluster_default_enabled }
}

locals {
  rules = {
    for name, port in { kubelet = 10250, dns = 53, webhook = 9443, metrics = 4443, https = 443 } : name => {
      description               = "Nodes: ${name}"
      port                      = port
    }
  }
}

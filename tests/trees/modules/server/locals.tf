locals {
  primary_tags        = merge(var.tags, var.server_primary_tags, { Tier = "primary" })
  primary_labels      = { for key, value in merge(local.primary_tags, var.server_primary_labels) : lower(key) => trimspace(value) }
  primary_name        = coalesce(var.server_primary_name, "${var.name}-primary")
  primary_settings    = { for key, value in { timeout = var.server_primary_timeout, limit = var.server_primary_limit, port = var.server_primary_port } : key => tostring(value) if var.server_primary_enabled }
  secondary_tags      = merge(var.tags, var.server_secondary_tags, { Tier = "secondary" })
  secondary_labels    = { for key, value in merge(local.secondary_tags, var.server_secondary_labels) : lower(key) => trimspace(value) }
  secondary_name      = coalesce(var.server_secondary_name, "${var.name}-secondary")
  secondary_settings  = { for key, value in { timeout = var.server_secondary_timeout, limit = var.server_secondary_limit, port = var.server_secondary_port } : key => tostring(value) if var.server_secondary_enabled }
  public_tags         = merge(var.tags, var.server_public_tags, { Tier = "public" })
  public_labels       = { for key, value in merge(local.public_tags, var.server_public_labels) : lower(key) => trimspace(value) }
  public_name         = coalesce(var.server_public_name, "${var.name}-public")
  public_settings     = { for key, value in { timeout = var.server_public_timeout, limit = var.server_public_limit, port = var.server_public_port } : key => tostring(value) if var.server_public_enabled }
  private_tags        = merge(var.tags, var.server_private_tags, { Tier = "private" })
  private_labels      = { for key, value in merge(local.private_tags, var.server_private_labels) : lower(key) => trimspace(value) }
  private_name        = coalesce(var.server_private_name, "${var.name}-private")
  private_settings    = { for key, value in { timeout = var.server_private_timeout, limit = var.server_private_limit, port = var.server_private_port } : key => tostring(value) if var.server_private_enabled }
  internal_tags       = merge(var.tags, var.server_internal_tags, { Tier = "internal" })
  internal_labels     = { for key, value in merge(local.internal_tags, var.server_internal_labels) : lower(key) => trimspace(value) }
  internal_name       = coalesce(var.server_internal_name, "${var.name}-internal")
  internal_settings   = { for key, value in { timeout = var.server_internal_timeout, limit = var.server_internal_limit, port = var.server_internal_port } : key => tostring(value) if var.server_internal_enabled }
  backup_tags         = merge(var.tags, var.server_backup_tags, { Tier = "backup" })
  backup_labels       = { for key, value in merge(local.backup_tags, var.server_backup_labels) : lower(key) => trimspace(value) }
  backup_name         = coalesce(var.server_backup_name, "${var.name}-backup")
  backup_settings     = { for key, value in { timeout = var.server_backup_timeout, limit = var.server_backup_limit, port = var.server_backup_port } : key => tostring(value) if var.server_backup_enabled }
  monitoring_tags     = merge(var.tags, var.server_monitoring_tags, { Tier = "monitoring" })
  monitoring_labels   = { for key, value in merge(local.monitoring_tags, var.server_monitoring_labels) : lower(key) => trimspace(value) }
  monitoring_name     = coalesce(var.server_monitoring_name, "${var.name}-monitoring")
  monitoring_settings = { for key, value in { timeout = var.server_monitoring_timeout, limit = var.server_monitoring_limit, port = var.server_monitoring_port } : key => tostring(value) if var.server_monitoring_enabled }
  logging_tags        = merge(var.tags, var.server_logging_tags, { Tier = "logging" })
  logging_labels      = { for key, value in merge(local.logging_tags, var.server_logging_labels) : lower(key) => trimspace(value) }
  logging_name        = coalesce(var.server_logging_name, "${var.name}-logging")
  logging_settings    = { for key, value in { timeout = var.server_logging_timeout, limit = var.server_logging_limit, port = var.server_logging_port } : key => tostring(value) if var.server_logging_enabled }
  audit_tags          = merge(var.tags, var.server_audit_tags, { Tier = "audit" })
  audit_labels        = { for key, value in merge(local.audit_tags, var.server_audit_labels) : lower(key) => trimspace(value) }
  audit_name          = coalesce(var.server_audit_name, "${var.name}-audit")
  audit_settings      = { for key, value in { timeout = var.server_audit_timeout, limit = var.server_audit_limit, port = var.server_audit_port } : key => tostring(value) if var.server_audit_enabled }
  default_tags        = merge(var.tags, var.server_default_tags, { Tier = "default" })
  default_labels      = { for key, value in merge(local.default_tags, var.server_default_labels) : lower(key) => trimspace(value) }
  default_name        = coalesce(var.server_default_name, "${var.name}-default")
  default_settings    = { for key, value in { timeout = var.server_default_timeout, limit = var.server_default_limit, port = var.server_default_port } : key => tostring(value) if var.server_default_enabled }
}

locals {
  volumes    = { for key, volume in var.volumes : key => merge(volume, { device = "/dev/sd${key}", tags = merge(local.backup_tags, { Volume = key }) }) }
  statements = [for port in var.ports : { Effect = "Allow", Action = ["ec2:Describe*"], Resource = "*", Sid = "Port${port}" }]
}

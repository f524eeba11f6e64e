locals {
  primary_tags        = merge(var.tags, var.service_primary_tags, { Tier = "primary" })
  primary_labels      = { for key, value in merge(local.primary_tags, var.service_primary_labels) : lower(key) => trimspace(value) }
  primary_name        = coalesce(var.service_primary_name, "${var.name}-primary")
  primary_settings    = { for key, value in { timeout = var.service_primary_timeout, limit = var.service_primary_limit, port = var.service_primary_port } : key => tostring(value) if var.service_primary_enabled }
  secondary_tags      = merge(var.tags, var.service_secondary_tags, { Tier = "secondary" })
  secondary_labels    = { for key, value in merge(local.secondary_tags, var.service_secondary_labels) : lower(key) => trimspace(value) }
  secondary_name      = coalesce(var.service_secondary_name, "${var.name}-secondary")
  secondary_settings  = { for key, value in { timeout = var.service_secondary_timeout, limit = var.service_secondary_limit, port = var.service_secondary_port } : key => tostring(value) if var.service_secondary_enabled }
  public_tags         = merge(var.tags, var.service_public_tags, { Tier = "public" })
  public_labels       = { for key, value in merge(local.public_tags, var.service_public_labels) : lower(key) => trimspace(value) }
  public_name         = coalesce(var.service_public_name, "${var.name}-public")
  public_settings     = { for key, value in { timeout = var.service_public_timeout, limit = var.service_public_limit, port = var.service_public_port } : key => tostring(value) if var.service_public_enabled }
  private_tags        = merge(var.tags, var.service_private_tags, { Tier = "private" })
  private_labels      = { for key, value in merge(local.private_tags, var.service_private_labels) : lower(key) => trimspace(value) }
  private_name        = coalesce(var.service_private_name, "${var.name}-private")
  private_settings    = { for key, value in { timeout = var.service_private_timeout, limit = var.service_private_limit, port = var.service_private_port } : key => tostring(value) if var.service_private_enabled }
  internal_tags       = merge(var.tags, var.service_internal_tags, { Tier = "internal" })
  internal_labels     = { for key, value in merge(local.internal_tags, var.service_internal_labels) : lower(key) => trimspace(value) }
  internal_name       = coalesce(var.service_internal_name, "${var.name}-internal")
  internal_settings   = { for key, value in { timeout = var.service_internal_timeout, limit = var.service_internal_limit, port = var.service_internal_port } : key => tostring(value) if var.service_internal_enabled }
  backup_tags         = merge(var.tags, var.service_backup_tags, { Tier = "backup" })
  backup_labels       = { for key, value in merge(local.backup_tags, var.service_backup_labels) : lower(key) => trimspace(value) }
  backup_name         = coalesce(var.service_backup_name, "${var.name}-backup")
  backup_settings     = { for key, value in { timeout = var.service_backup_timeout, limit = var.service_backup_limit, port = var.service_backup_port } : key => tostring(value) if var.service_backup_enabled }
  monitoring_tags     = merge(var.tags, var.service_monitoring_tags, { Tier = "monitoring" })
  monitoring_labels   = { for key, value in merge(local.monitoring_tags, var.service_monitoring_labels) : lower(key) => trimspace(value) }
  monitoring_name     = coalesce(var.service_monitoring_name, "${var.name}-monitoring")
  monitoring_settings = { for key, value in { timeout = var.service_monitoring_timeout, limit = var.service_monitoring_limit, port = var.service_monitoring_port } : key => tostring(value) if var.service_monitoring_enabled }
  logging_tags        = merge(var.tags, var.service_logging_tags, { Tier = "logging" })
  logging_labels      = { for key, value in merge(local.logging_tags, var.service_logging_labels) : lower(key) => trimspace(value) }
  logging_name        = coalesce(var.service_logging_name, "${var.name}-logging")
  logging_settings    = { for key, value in { timeout = var.service_logging_timeout, limit = var.service_logging_limit, port = var.service_logging_port } : key => tostring(value) if var.service_logging_enabled }
  audit_tags          = merge(var.tags, var.service_audit_tags, { Tier = "audit" })
  audit_labels        = { for key, value in merge(local.audit_tags, var.service_audit_labels) : lower(key) => trimspace(value) }
  audit_name          = coalesce(var.service_audit_name, "${var.name}-audit")
  audit_settings      = { for key, value in { timeout = var.service_audit_timeout, limit = var.service_audit_limit, port = var.service_audit_port } : key => tostring(value) if var.service_audit_enabled }
  default_tags        = merge(var.tags, var.service_default_tags, { Tier = "default" })
  default_labels      = { for key, value in merge(local.default_tags, var.service_default_labels) : lower(key) => trimspace(value) }
  default_name        = coalesce(var.service_default_name, "${var.name}-default")
  default_settings    = { for key, value in { timeout = var.service_default_timeout, limit = var.service_default_limit, port = var.service_default_port } : key => tostring(value) if var.service_default_enabled }
}

locals {
  containers = {
    for name, container in var.containers : name => merge(
      { cpu = 256, memory = 512, essential = true, environment = {}, ports = [] },
      container,
      { name = name, logGroup = "/ecs/${var.name}/${name}" },
    )
  }
  definitions = [
    for name, container in local.containers : {
      name         = name
      image        = container.image
      cpu          = container.cpu
      memory       = container.memory
      essential    = container.essential
      environment  = [for key in sort(keys(container.environment)) : { name = key, value = container.environment[key] }]
      portMappings = [for port in container.ports : { containerPort = port, protocol = "tcp" }]
    }
  ]
  ports = toset(flatten([for container in local.containers : [for port in container.ports : tostring(port)]]))
}

output "primary_name" {
  value = local.primary_name
}
output "primary_labels" {
  value = local.primary_labels
}
output "primary_settings" {
  value = local.primary_settings
}
output "secondary_name" {
  value = local.secondary_name
}
output "secondary_labels" {
  value = local.secondary_labels
}
output "secondary_settings" {
  value = local.secondary_settings
}
output "public_name" {
  value = local.public_name
}
output "public_labels" {
  value = local.public_labels
}
output "public_settings" {
  value = local.public_settings
}
output "private_name" {
  value = local.private_name
}
output "private_labels" {
  value = local.private_labels
}
output "private_settings" {
  value = local.private_settings
}
output "internal_name" {
  value = local.internal_name
}
output "internal_labels" {
  value = local.internal_labels
}
output "internal_settings" {
  value = local.internal_settings
}
output "backup_name" {
  value = local.backup_name
}
output "backup_labels" {
  value = local.backup_labels
}
output "backup_settings" {
  value = local.backup_settings
}
output "monitoring_name" {
  value = local.monitoring_name
}
output "monitoring_labels" {
  value = local.monitoring_labels
}
output "monitoring_settings" {
  value = local.monitoring_settings
}
output "logging_name" {
  value = local.logging_name
}
output "logging_labels" {
  value = local.logging_labels
}
output "logging_settings" {
  value = local.logging_settings
}
output "audit_name" {
  value = local.audit_name
}
output "audit_labels" {
  value = local.audit_labels
}
output "audit_settings" {
  value = local.audit_settings
}
output "default_name" {
  value = local.default_name
}
output "default_labels" {
  value = local.default_labels
}
output "default_settings" {
  value = local.default_settings
}

output "id" {
  value = try(aws_instance.this[0].id, null)
}

output "private_ip" {
  value = try(aws_instance.this[0].private_ip, null)
}

output "security_group_id" {
  value = one(aws_security_group.this[*].id)
}

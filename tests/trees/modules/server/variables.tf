variable "name" {
  description = "Used in the names of everything."
  type        = string
}
variable "tags" {
  description = "Of all resources."
  type        = map(string)
  default     = {}
}
variable "create" {
  description = "Whether anything is created."
  type        = bool
  default     = true
}
variable "instance_type" {
  description = "Instance type."
  type        = string
  default     = "t3.micro"
}
variable "ami" {
  description = "Ami."
  type        = string
  default     = "ami-0123456789"
}
variable "vpc_id" {
  description = "Network of the server."
  type        = string
}
variable "subnet_id" {
  description = "Subnet of the server."
  type        = string
}
variable "volumes" {
  description = "Further volumes."
  type        = map(object({ size = number, type = optional(string, "gp3") }))
  default     = {}
}
variable "ports" {
  description = "Open ports."
  type        = list(number)
  default     = [443]
}
variable "user_data" {
  description = "User data."
  type        = string
  default     = null
}
variable "server_primary_enabled" {
  description = "Server primary enabled."
  type        = bool
  default     = true
}
variable "server_primary_name" {
  description = "Server primary name."
  type        = string
  default     = null
}
variable "server_primary_tags" {
  description = "Server primary tags."
  type        = map(string)
  default     = {}
}
variable "server_primary_timeout" {
  description = "Server primary timeout."
  type        = number
  default     = 30
}
variable "server_primary_size" {
  description = "Server primary size."
  type        = number
  default     = 8
}
variable "server_primary_mode" {
  description = "Server primary mode."
  type        = string
  default     = "standard"
}
variable "server_primary_labels" {
  description = "Server primary labels."
  type        = map(string)
  default     = {}
}
variable "server_primary_port" {
  description = "Server primary port."
  type        = number
  default     = 8080
}
variable "server_primary_limit" {
  description = "Server primary limit."
  type        = number
  default     = 100
}
variable "server_primary_path" {
  description = "Server primary path."
  type        = string
  default     = "/"
}
variable "server_secondary_enabled" {
  description = "Server secondary enabled."
  type        = bool
  default     = true
}
variable "server_secondary_name" {
  description = "Server secondary name."
  type        = string
  default     = null
}
variable "server_secondary_tags" {
  description = "Server secondary tags."
  type        = map(string)
  default     = {}
}
variable "server_secondary_timeout" {
  description = "Server secondary timeout."
  type        = number
  default     = 30
}
variable "server_secondary_size" {
  description = "Server secondary size."
  type        = number
  default     = 8
}
variable "server_secondary_mode" {
  description = "Server secondary mode."
  type        = string
  default     = "standard"
}
variable "server_secondary_labels" {
  description = "Server secondary labels."
  type        = map(string)
  default     = {}
}
variable "server_secondary_port" {
  description = "Server secondary port."
  type        = number
  default     = 8080
}
variable "server_secondary_limit" {
  description = "Server secondary limit."
  type        = number
  default     = 100
}
variable "server_secondary_path" {
  description = "Server secondary path."
  type        = string
  default     = "/"
}
variable "server_public_enabled" {
  description = "Server public enabled."
  type        = bool
  default     = true
}
variable "server_public_name" {
  description = "Server public name."
  type        = string
  default     = null
}
variable "server_public_tags" {
  description = "Server public tags."
  type        = map(string)
  default     = {}
}
variable "server_public_timeout" {
  description = "Server public timeout."
  type        = number
  default     = 30
}
variable "server_public_size" {
  description = "Server public size."
  type        = number
  default     = 8
}
variable "server_public_mode" {
  description = "Server public mode."
  type        = string
  default     = "standard"
}
variable "server_public_labels" {
  description = "Server public labels."
  type        = map(string)
  default     = {}
}
variable "server_public_port" {
  description = "Server public port."
  type        = number
  default     = 8080
}
variable "server_public_limit" {
  description = "Server public limit."
  type        = number
  default     = 100
}
variable "server_public_path" {
  description = "Server public path."
  type        = string
  default     = "/"
}
variable "server_private_enabled" {
  description = "Server private enabled."
  type        = bool
  default     = true
}
variable "server_private_name" {
  description = "Server private name."
  type        = string
  default     = null
}
variable "server_private_tags" {
  description = "Server private tags."
  type        = map(string)
  default     = {}
}
variable "server_private_timeout" {
  description = "Server private timeout."
  type        = number
  default     = 30
}
variable "server_private_size" {
  description = "Server private size."
  type        = number
  default     = 8
}
variable "server_private_mode" {
  description = "Server private mode."
  type        = string
  default     = "standard"
}
variable "server_private_labels" {
  description = "Server private labels."
  type        = map(string)
  default     = {}
}
variable "server_private_port" {
  description = "Server private port."
  type        = number
  default     = 8080
}
variable "server_private_limit" {
  description = "Server private limit."
  type        = number
  default     = 100
}
variable "server_private_path" {
  description = "Server private path."
  type        = string
  default     = "/"
}
variable "server_internal_enabled" {
  description = "Server internal enabled."
  type        = bool
  default     = true
}
variable "server_internal_name" {
  description = "Server internal name."
  type        = string
  default     = null
}
variable "server_internal_tags" {
  description = "Server internal tags."
  type        = map(string)
  default     = {}
}
variable "server_internal_timeout" {
  description = "Server internal timeout."
  type        = number
  default     = 30
}
variable "server_internal_size" {
  description = "Server internal size."
  type        = number
  default     = 8
}
variable "server_internal_mode" {
  description = "Server internal mode."
  type        = string
  default     = "standard"
}
variable "server_internal_labels" {
  description = "Server internal labels."
  type        = map(string)
  default     = {}
}
variable "server_internal_port" {
  description = "Server internal port."
  type        = number
  default     = 8080
}
variable "server_internal_limit" {
  description = "Server internal limit."
  type        = number
  default     = 100
}
variable "server_internal_path" {
  description = "Server internal path."
  type        = string
  default     = "/"
}
variable "server_backup_enabled" {
  description = "Server backup enabled."
  type        = bool
  default     = true
}
variable "server_backup_name" {
  description = "Server backup name."
  type        = string
  default     = null
}
variable "server_backup_tags" {
  description = "Server backup tags."
  type        = map(string)
  default     = {}
}
variable "server_backup_timeout" {
  description = "Server backup timeout."
  type        = number
  default     = 30
}
variable "server_backup_size" {
  description = "Server backup size."
  type        = number
  default     = 8
}
variable "server_backup_mode" {
  description = "Server backup mode."
  type        = string
  default     = "standard"
}
variable "server_backup_labels" {
  description = "Server backup labels."
  type        = map(string)
  default     = {}
}
variable "server_backup_port" {
  description = "Server backup port."
  type        = number
  default     = 8080
}
variable "server_backup_limit" {
  description = "Server backup limit."
  type        = number
  default     = 100
}
variable "server_backup_path" {
  description = "Server backup path."
  type        = string
  default     = "/"
}
variable "server_monitoring_enabled" {
  description = "Server monitoring enabled."
  type        = bool
  default     = true
}
variable "server_monitoring_name" {
  description = "Server monitoring name."
  type        = string
  default     = null
}
variable "server_monitoring_tags" {
  description = "Server monitoring tags."
  type        = map(string)
  default     = {}
}
variable "server_monitoring_timeout" {
  description = "Server monitoring timeout."
  type        = number
  default     = 30
}
variable "server_monitoring_size" {
  description = "Server monitoring size."
  type        = number
  default     = 8
}
variable "server_monitoring_mode" {
  description = "Server monitoring mode."
  type        = string
  default     = "standard"
}
variable "server_monitoring_labels" {
  description = "Server monitoring labels."
  type        = map(string)
  default     = {}
}
variable "server_monitoring_port" {
  description = "Server monitoring port."
  type        = number
  default     = 8080
}
variable "server_monitoring_limit" {
  description = "Server monitoring limit."
  type        = number
  default     = 100
}
variable "server_monitoring_path" {
  description = "Server monitoring path."
  type        = string
  default     = "/"
}
variable "server_logging_enabled" {
  description = "Server logging enabled."
  type        = bool
  default     = true
}
variable "server_logging_name" {
  description = "Server logging name."
  type        = string
  default     = null
}
variable "server_logging_tags" {
  description = "Server logging tags."
  type        = map(string)
  default     = {}
}
variable "server_logging_timeout" {
  description = "Server logging timeout."
  type        = number
  default     = 30
}
variable "server_logging_size" {
  description = "Server logging size."
  type        = number
  default     = 8
}
variable "server_logging_mode" {
  description = "Server logging mode."
  type        = string
  default     = "standard"
}
variable "server_logging_labels" {
  description = "Server logging labels."
  type        = map(string)
  default     = {}
}
variable "server_logging_port" {
  description = "Server logging port."
  type        = number
  default     = 8080
}
variable "server_logging_limit" {
  description = "Server logging limit."
  type        = number
  default     = 100
}
variable "server_logging_path" {
  description = "Server logging path."
  type        = string
  default     = "/"
}
variable "server_audit_enabled" {
  description = "Server audit enabled."
  type        = bool
  default     = true
}
variable "server_audit_name" {
  description = "Server audit name."
  type        = string
  default     = null
}
variable "server_audit_tags" {
  description = "Server audit tags."
  type        = map(string)
  default     = {}
}
variable "server_audit_timeout" {
  description = "Server audit timeout."
  type        = number
  default     = 30
}
variable "server_audit_size" {
  description = "Server audit size."
  type        = number
  default     = 8
}
variable "server_audit_mode" {
  description = "Server audit mode."
  type        = string
  default     = "standard"
}
variable "server_audit_labels" {
  description = "Server audit labels."
  type        = map(string)
  default     = {}
}
variable "server_audit_port" {
  description = "Server audit port."
  type        = number
  default     = 8080
}
variable "server_audit_limit" {
  description = "Server audit limit."
  type        = number
  default     = 100
}
variable "server_audit_path" {
  description = "Server audit path."
  type        = string
  default     = "/"
}
variable "server_default_enabled" {
  description = "Server default enabled."
  type        = bool
  default     = true
}
variable "server_default_name" {
  description = "Server default name."
  type        = string
  default     = null
}
variable "server_default_tags" {
  description = "Server default tags."
  type        = map(string)
  default     = {}
}
variable "server_default_timeout" {
  description = "Server default timeout."
  type        = number
  default     = 30
}
variable "server_default_size" {
  description = "Server default size."
  type        = number
  default     = 8
}
variable "server_default_mode" {
  description = "Server default mode."
  type        = string
  default     = "standard"
}
variable "server_default_labels" {
  description = "Server default labels."
  type        = map(string)
  default     = {}
}
variable "server_default_port" {
  description = "Server default port."
  type        = number
  default     = 8080
}
variable "server_default_limit" {
  description = "Server default limit."
  type        = number
  default     = 100
}
variable "server_default_path" {
  description = "Server default path."
  type        = string
  default     = "/"
}

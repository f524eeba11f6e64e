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
variable "cidr" {
  description = "Addresses of the network."
  type        = string
}
variable "azs" {
  description = "Availability zones."
  type        = list(string)
  default     = ["eu-west-1a", "eu-west-1b", "eu-west-1c"]
}
variable "public_subnets" {
  description = "Public subnets."
  type        = list(string)
  default     = []
}
variable "private_subnets" {
  description = "Private subnets."
  type        = list(string)
  default     = []
}
variable "database_subnets" {
  description = "Database subnets."
  type        = list(string)
  default     = []
}
variable "single_nat_gateway" {
  description = "Single nat gateway."
  type        = bool
  default     = true
}
variable "ingress_rules" {
  description = "Ingress rules."
  type        = list(object({ port = number, protocol = optional(string, "tcp"), cidrs = list(string) }))
  default     = []
}
variable "network_primary_enabled" {
  description = "Network primary enabled."
  type        = bool
  default     = true
}
variable "network_primary_name" {
  description = "Network primary name."
  type        = string
  default     = null
}
variable "network_primary_tags" {
  description = "Network primary tags."
  type        = map(string)
  default     = {}
}
variable "network_primary_timeout" {
  description = "Network primary timeout."
  type        = number
  default     = 30
}
variable "network_primary_size" {
  description = "Network primary size."
  type        = number
  default     = 8
}
variable "network_primary_mode" {
  description = "Network primary mode."
  type        = string
  default     = "standard"
}
variable "network_primary_labels" {
  description = "Network primary labels."
  type        = map(string)
  default     = {}
}
variable "network_primary_port" {
  description = "Network primary port."
  type        = number
  default     = 8080
}
variable "network_primary_limit" {
  description = "Network primary limit."
  type        = number
  default     = 100
}
variable "network_primary_path" {
  description = "Network primary path."
  type        = string
  default     = "/"
}
variable "network_secondary_enabled" {
  description = "Network secondary enabled."
  type        = bool
  default     = true
}
variable "network_secondary_name" {
  description = "Network secondary name."
  type        = string
  default     = null
}
variable "network_secondary_tags" {
  description = "Network secondary tags."
  type        = map(string)
  default     = {}
}
variable "network_secondary_timeout" {
  description = "Network secondary timeout."
  type        = number
  default     = 30
}
variable "network_secondary_size" {
  description = "Network secondary size."
  type        = number
  default     = 8
}
variable "network_secondary_mode" {
  description = "Network secondary mode."
  type        = string
  default     = "standard"
}
variable "network_secondary_labels" {
  description = "Network secondary labels."
  type        = map(string)
  default     = {}
}
variable "network_secondary_port" {
  description = "Network secondary port."
  type        = number
  default     = 8080
}
variable "network_secondary_limit" {
  description = "Network secondary limit."
  type        = number
  default     = 100
}
variable "network_secondary_path" {
  description = "Network secondary path."
  type        = string
  default     = "/"
}
variable "network_public_enabled" {
  description = "Network public enabled."
  type        = bool
  default     = true
}
variable "network_public_name" {
  description = "Network public name."
  type        = string
  default     = null
}
variable "network_public_tags" {
  description = "Network public tags."
  type        = map(string)
  default     = {}
}
variable "network_public_timeout" {
  description = "Network public timeout."
  type        = number
  default     = 30
}
variable "network_public_size" {
  description = "Network public size."
  type        = number
  default     = 8
}
variable "network_public_mode" {
  description = "Network public mode."
  type        = string
  default     = "standard"
}
variable "network_public_labels" {
  description = "Network public labels."
  type        = map(string)
  default     = {}
}
variable "network_public_port" {
  description = "Network public port."
  type        = number
  default     = 8080
}
variable "network_public_limit" {
  description = "Network public limit."
  type        = number
  default     = 100
}
variable "network_public_path" {
  description = "Network public path."
  type        = string
  default     = "/"
}
variable "network_private_enabled" {
  description = "Network private enabled."
  type        = bool
  default     = true
}
variable "network_private_name" {
  description = "Network private name."
  type        = string
  default     = null
}
variable "network_private_tags" {
  description = "Network private tags."
  type        = map(string)
  default     = {}
}
variable "network_private_timeout" {
  description = "Network private timeout."
  type        = number
  default     = 30
}
variable "network_private_size" {
  description = "Network private size."
  type        = number
  default     = 8
}
variable "network_private_mode" {
  description = "Network private mode."
  type        = string
  default     = "standard"
}
variable "network_private_labels" {
  description = "Network private labels."
  type        = map(string)
  default     = {}
}
variable "network_private_port" {
  description = "Network private port."
  type        = number
  default     = 8080
}
variable "network_private_limit" {
  description = "Network private limit."
  type        = number
  default     = 100
}
variable "network_private_path" {
  description = "Network private path."
  type        = string
  default     = "/"
}
variable "network_internal_enabled" {
  description = "Network internal enabled."
  type        = bool
  default     = true
}
variable "network_internal_name" {
  description = "Network internal name."
  type        = string
  default     = null
}
variable "network_internal_tags" {
  description = "Network internal tags."
  type        = map(string)
  default     = {}
}
variable "network_internal_timeout" {
  description = "Network internal timeout."
  type        = number
  default     = 30
}
variable "network_internal_size" {
  description = "Network internal size."
  type        = number
  default     = 8
}
variable "network_internal_mode" {
  description = "Network internal mode."
  type        = string
  default     = "standard"
}
variable "network_internal_labels" {
  description = "Network internal labels."
  type        = map(string)
  default     = {}
}
variable "network_internal_port" {
  description = "Network internal port."
  type        = number
  default     = 8080
}
variable "network_internal_limit" {
  description = "Network internal limit."
  type        = number
  default     = 100
}
variable "network_internal_path" {
  description = "Network internal path."
  type        = string
  default     = "/"
}
variable "network_backup_enabled" {
  description = "Network backup enabled."
  type        = bool
  default     = true
}
variable "network_backup_name" {
  description = "Network backup name."
  type        = string
  default     = null
}
variable "network_backup_tags" {
  description = "Network backup tags."
  type        = map(string)
  default     = {}
}
variable "network_backup_timeout" {
  description = "Network backup timeout."
  type        = number
  default     = 30
}
variable "network_backup_size" {
  description = "Network backup size."
  type        = number
  default     = 8
}
variable "network_backup_mode" {
  description = "Network backup mode."
  type        = string
  default     = "standard"
}
variable "network_backup_labels" {
  description = "Network backup labels."
  type        = map(string)
  default     = {}
}
variable "network_backup_port" {
  description = "Network backup port."
  type        = number
  default     = 8080
}
variable "network_backup_limit" {
  description = "Network backup limit."
  type        = number
  default     = 100
}
variable "network_backup_path" {
  description = "Network backup path."
  type        = string
  default     = "/"
}
variable "network_monitoring_enabled" {
  description = "Network monitoring enabled."
  type        = bool
  default     = true
}
variable "network_monitoring_name" {
  description = "Network monitoring name."
  type        = string
  default     = null
}
variable "network_monitoring_tags" {
  description = "Network monitoring tags."
  type        = map(string)
  default     = {}
}
variable "network_monitoring_timeout" {
  description = "Network monitoring timeout."
  type        = number
  default     = 30
}
variable "network_monitoring_size" {
  description = "Network monitoring size."
  type        = number
  default     = 8
}
variable "network_monitoring_mode" {
  description = "Network monitoring mode."
  type        = string
  default     = "standard"
}
variable "network_monitoring_labels" {
  description = "Network monitoring labels."
  type        = map(string)
  default     = {}
}
variable "network_monitoring_port" {
  description = "Network monitoring port."
  type        = number
  default     = 8080
}
variable "network_monitoring_limit" {
  description = "Network monitoring limit."
  type        = number
  default     = 100
}
variable "network_monitoring_path" {
  description = "Network monitoring path."
  type        = string
  default     = "/"
}
variable "network_logging_enabled" {
  description = "Network logging enabled."
  type        = bool
  default     = true
}
variable "network_logging_name" {
  description = "Network logging name."
  type        = string
  default     = null
}
variable "network_logging_tags" {
  description = "Network logging tags."
  type        = map(string)
  default     = {}
}
variable "network_logging_timeout" {
  description = "Network logging timeout."
  type        = number
  default     = 30
}
variable "network_logging_size" {
  description = "Network logging size."
  type        = number
  default     = 8
}
variable "network_logging_mode" {
  description = "Network logging mode."
  type        = string
  default     = "standard"
}
variable "network_logging_labels" {
  description = "Network logging labels."
  type        = map(string)
  default     = {}
}
variable "network_logging_port" {
  description = "Network logging port."
  type        = number
  default     = 8080
}
variable "network_logging_limit" {
  description = "Network logging limit."
  type        = number
  default     = 100
}
variable "network_logging_path" {
  description = "Network logging path."
  type        = string
  default     = "/"
}
variable "network_audit_enabled" {
  description = "Network audit enabled."
  type        = bool
  default     = true
}
variable "network_audit_name" {
  description = "Network audit name."
  type        = string
  default     = null
}
variable "network_audit_tags" {
  description = "Network audit tags."
  type        = map(string)
  default     = {}
}
variable "network_audit_timeout" {
  description = "Network audit timeout."
  type        = number
  default     = 30
}
variable "network_audit_size" {
  description = "Network audit size."
  type        = number
  default     = 8
}
variable "network_audit_mode" {
  description = "Network audit mode."
  type        = string
  default     = "standard"
}
variable "network_audit_labels" {
  description = "Network audit labels."
  type        = map(string)
  default     = {}
}
variable "network_audit_port" {
  description = "Network audit port."
  type        = number
  default     = 8080
}
variable "network_audit_limit" {
  description = "Network audit limit."
  type        = number
  default     = 100
}
variable "network_audit_path" {
  description = "Network audit path."
  type        = string
  default     = "/"
}
variable "network_default_enabled" {
  description = "Network default enabled."
  type        = bool
  default     = true
}
variable "network_default_name" {
  description = "Network default name."
  type        = string
  default     = null
}
variable "network_default_tags" {
  description = "Network default tags."
  type        = map(string)
  default     = {}
}
variable "network_default_timeout" {
  description = "Network default timeout."
  type        = number
  default     = 30
}
variable "network_default_size" {
  description = "Network default size."
  type        = number
  default     = 8
}
variable "network_default_mode" {
  description = "Network default mode."
  type        = string
  default     = "standard"
}
variable "network_default_labels" {
  description = "Network default labels."
  type        = map(string)
  default     = {}
}
variable "network_default_port" {
  description = "Network default port."
  type        = number
  default     = 8080
}
variable "network_default_limit" {
  description = "Network default limit."
  type        = number
  default     = 100
}
variable "network_default_path" {
  description = "Network default path."
  type        = string
  default     = "/"
}

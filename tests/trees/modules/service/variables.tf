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
variable "cluster_arn" {
  description = "Cluster of the service."
  type        = string
}
variable "vpc_id" {
  description = "Network of the service."
  type        = string
}
variable "subnets" {
  description = "Where its tasks run."
  type        = list(string)
}
variable "containers" {
  description = "Containers by name."
  type        = any
  default     = {}
}
variable "desired_count" {
  description = "Desired count."
  type        = number
  default     = 2
}
variable "service_primary_enabled" {
  description = "Service primary enabled."
  type        = bool
  default     = true
}
variable "service_primary_name" {
  description = "Service primary name."
  type        = string
  default     = null
}
variable "service_primary_tags" {
  description = "Service primary tags."
  type        = map(string)
  default     = {}
}
variable "service_primary_timeout" {
  description = "Service primary timeout."
  type        = number
  default     = 30
}
variable "service_primary_size" {
  description = "Service primary size."
  type        = number
  default     = 8
}
variable "service_primary_mode" {
  description = "Service primary mode."
  type        = string
  default     = "standard"
}
variable "service_primary_labels" {
  description = "Service primary labels."
  type        = map(string)
  default     = {}
}
variable "service_primary_port" {
  description = "Service primary port."
  type        = number
  default     = 8080
}
variable "service_primary_limit" {
  description = "Service primary limit."
  type        = number
  default     = 100
}
variable "service_primary_path" {
  description = "Service primary path."
  type        = string
  default     = "/"
}
variable "service_secondary_enabled" {
  description = "Service secondary enabled."
  type        = bool
  default     = true
}
variable "service_secondary_name" {
  description = "Service secondary name."
  type        = string
  default     = null
}
variable "service_secondary_tags" {
  description = "Service secondary tags."
  type        = map(string)
  default     = {}
}
variable "service_secondary_timeout" {
  description = "Service secondary timeout."
  type        = number
  default     = 30
}
variable "service_secondary_size" {
  description = "Service secondary size."
  type        = number
  default     = 8
}
variable "service_secondary_mode" {
  description = "Service secondary mode."
  type        = string
  default     = "standard"
}
variable "service_secondary_labels" {
  description = "Service secondary labels."
  type        = map(string)
  default     = {}
}
variable "service_secondary_port" {
  description = "Service secondary port."
  type        = number
  default     = 8080
}
variable "service_secondary_limit" {
  description = "Service secondary limit."
  type        = number
  default     = 100
}
variable "service_secondary_path" {
  description = "Service secondary path."
  type        = string
  default     = "/"
}
variable "service_public_enabled" {
  description = "Service public enabled."
  type        = bool
  default     = true
}
variable "service_public_name" {
  description = "Service public name."
  type        = string
  default     = null
}
variable "service_public_tags" {
  description = "Service public tags."
  type        = map(string)
  default     = {}
}
variable "service_public_timeout" {
  description = "Service public timeout."
  type        = number
  default     = 30
}
variable "service_public_size" {
  description = "Service public size."
  type        = number
  default     = 8
}
variable "service_public_mode" {
  description = "Service public mode."
  type        = string
  default     = "standard"
}
variable "service_public_labels" {
  description = "Service public labels."
  type        = map(string)
  default     = {}
}
variable "service_public_port" {
  description = "Service public port."
  type        = number
  default     = 8080
}
variable "service_public_limit" {
  description = "Service public limit."
  type        = number
  default     = 100
}
variable "service_public_path" {
  description = "Service public path."
  type        = string
  default     = "/"
}
variable "service_private_enabled" {
  description = "Service private enabled."
  type        = bool
  default     = true
}
variable "service_private_name" {
  description = "Service private name."
  type        = string
  default     = null
}
variable "service_private_tags" {
  description = "Service private tags."
  type        = map(string)
  default     = {}
}
variable "service_private_timeout" {
  description = "Service private timeout."
  type        = number
  default     = 30
}
variable "service_private_size" {
  description = "Service private size."
  type        = number
  default     = 8
}
variable "service_private_mode" {
  description = "Service private mode."
  type        = string
  default     = "standard"
}
variable "service_private_labels" {
  description = "Service private labels."
  type        = map(string)
  default     = {}
}
variable "service_private_port" {
  description = "Service private port."
  type        = number
  default     = 8080
}
variable "service_private_limit" {
  description = "Service private limit."
  type        = number
  default     = 100
}
variable "service_private_path" {
  description = "Service private path."
  type        = string
  default     = "/"
}
variable "service_internal_enabled" {
  description = "Service internal enabled."
  type        = bool
  default     = true
}
variable "service_internal_name" {
  description = "Service internal name."
  type        = string
  default     = null
}
variable "service_internal_tags" {
  description = "Service internal tags."
  type        = map(string)
  default     = {}
}
variable "service_internal_timeout" {
  description = "Service internal timeout."
  type        = number
  default     = 30
}
variable "service_internal_size" {
  description = "Service internal size."
  type        = number
  default     = 8
}
variable "service_internal_mode" {
  description = "Service internal mode."
  type        = string
  default     = "standard"
}
variable "service_internal_labels" {
  description = "Service internal labels."
  type        = map(string)
  default     = {}
}
variable "service_internal_port" {
  description = "Service internal port."
  type        = number
  default     = 8080
}
variable "service_internal_limit" {
  description = "Service internal limit."
  type        = number
  default     = 100
}
variable "service_internal_path" {
  description = "Service internal path."
  type        = string
  default     = "/"
}
variable "service_backup_enabled" {
  description = "Service backup enabled."
  type        = bool
  default     = true
}
variable "service_backup_name" {
  description = "Service backup name."
  type        = string
  default     = null
}
variable "service_backup_tags" {
  description = "Service backup tags."
  type        = map(string)
  default     = {}
}
variable "service_backup_timeout" {
  description = "Service backup timeout."
  type        = number
  default     = 30
}
variable "service_backup_size" {
  description = "Service backup size."
  type        = number
  default     = 8
}
variable "service_backup_mode" {
  description = "Service backup mode."
  type        = string
  default     = "standard"
}
variable "service_backup_labels" {
  description = "Service backup labels."
  type        = map(string)
  default     = {}
}
variable "service_backup_port" {
  description = "Service backup port."
  type        = number
  default     = 8080
}
variable "service_backup_limit" {
  description = "Service backup limit."
  type        = number
  default     = 100
}
variable "service_backup_path" {
  description = "Service backup path."
  type        = string
  default     = "/"
}
variable "service_monitoring_enabled" {
  description = "Service monitoring enabled."
  type        = bool
  default     = true
}
variable "service_monitoring_name" {
  description = "Service monitoring name."
  type        = string
  default     = null
}
variable "service_monitoring_tags" {
  description = "Service monitoring tags."
  type        = map(string)
  default     = {}
}
variable "service_monitoring_timeout" {
  description = "Service monitoring timeout."
  type        = number
  default     = 30
}
variable "service_monitoring_size" {
  description = "Service monitoring size."
  type        = number
  default     = 8
}
variable "service_monitoring_mode" {
  description = "Service monitoring mode."
  type        = string
  default     = "standard"
}
variable "service_monitoring_labels" {
  description = "Service monitoring labels."
  type        = map(string)
  default     = {}
}
variable "service_monitoring_port" {
  description = "Service monitoring port."
  type        = number
  default     = 8080
}
variable "service_monitoring_limit" {
  description = "Service monitoring limit."
  type        = number
  default     = 100
}
variable "service_monitoring_path" {
  description = "Service monitoring path."
  type        = string
  default     = "/"
}
variable "service_logging_enabled" {
  description = "Service logging enabled."
  type        = bool
  default     = true
}
variable "service_logging_name" {
  description = "Service logging name."
  type        = string
  default     = null
}
variable "service_logging_tags" {
  description = "Service logging tags."
  type        = map(string)
  default     = {}
}
variable "service_logging_timeout" {
  description = "Service logging timeout."
  type        = number
  default     = 30
}
variable "service_logging_size" {
  description = "Service logging size."
  type        = number
  default     = 8
}
variable "service_logging_mode" {
  description = "Service logging mode."
  type        = string
  default     = "standard"
}
variable "service_logging_labels" {
  description = "Service logging labels."
  type        = map(string)
  default     = {}
}
variable "service_logging_port" {
  description = "Service logging port."
  type        = number
  default     = 8080
}
variable "service_logging_limit" {
  description = "Service logging limit."
  type        = number
  default     = 100
}
variable "service_logging_path" {
  description = "Service logging path."
  type        = string
  default     = "/"
}
variable "service_audit_enabled" {
  description = "Service audit enabled."
  type        = bool
  default     = true
}
variable "service_audit_name" {
  description = "Service audit name."
  type        = string
  default     = null
}
variable "service_audit_tags" {
  description = "Service audit tags."
  type        = map(string)
  default     = {}
}
variable "service_audit_timeout" {
  description = "Service audit timeout."
  type        = number
  default     = 30
}
variable "service_audit_size" {
  description = "Service audit size."
  type        = number
  default     = 8
}
variable "service_audit_mode" {
  description = "Service audit mode."
  type        = string
  default     = "standard"
}
variable "service_audit_labels" {
  description = "Service audit labels."
  type        = map(string)
  default     = {}
}
variable "service_audit_port" {
  description = "Service audit port."
  type        = number
  default     = 8080
}
variable "service_audit_limit" {
  description = "Service audit limit."
  type        = number
  default     = 100
}
variable "service_audit_path" {
  description = "Service audit path."
  type        = string
  default     = "/"
}
variable "service_default_enabled" {
  description = "Service default enabled."
  type        = bool
  default     = true
}
variable "service_default_name" {
  description = "Service default name."
  type        = string
  default     = null
}
variable "service_default_tags" {
  description = "Service default tags."
  type        = map(string)
  default     = {}
}
variable "service_default_timeout" {
  description = "Service default timeout."
  type        = number
  default     = 30
}
variable "service_default_size" {
  description = "Service default size."
  type        = number
  default     = 8
}
variable "service_default_mode" {
  description = "Service default mode."
  type        = string
  default     = "standard"
}
variable "service_default_labels" {
  description = "Service default labels."
  type        = map(string)
  default     = {}
}
variable "service_default_port" {
  description = "Service default port."
  type        = number
  default     = 8080
}
variable "service_default_limit" {
  description = "Service default limit."
  type        = number
  default     = 100
}
variable "service_default_path" {
  description = "Service default path."
  type        = string
  default     = "/"
}

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
variable "kubernetes_version" {
  description = "Kubernetes version."
  type        = string
  default     = "1.31"
}
variable "vpc_id" {
  description = "Network of the cluster."
  type        = string
}
variable "subnets" {
  description = "Where the cluster runs."
  type        = list(string)
}
variable "groups" {
  description = "Groups of nodes."
  type        = any
  default     = {}
}
variable "addons" {
  description = "Addons."
  type        = map(string)
  default     = {}
}
variable "access" {
  description = "Access."
  type        = map(object({ principal = string, groups = optional(list(string), []) }))
  default     = {}
}
variable "cluster_primary_enabled" {
  description = "Cluster primary enabled."
  type        = bool
  default     = true
}
variable "cluster_primary_name" {
  description = "Cluster primary name."
  type        = string
  default     = null
}
variable "cluster_primary_tags" {
  description = "Cluster primary tags."
  type        = map(string)
  default     = {}
}
variable "cluster_primary_timeout" {
  description = "Cluster primary timeout."
  type        = number
  default     = 30
}
variable "cluster_primary_size" {
  description = "Cluster primary size."
  type        = number
  default     = 8
}
variable "cluster_primary_mode" {
  description = "Cluster primary mode."
  type        = string
  default     = "standard"
}
variable "cluster_primary_labels" {
  description = "Cluster primary labels."
  type        = map(string)
  default     = {}
}
variable "cluster_primary_port" {
  description = "Cluster primary port."
  type        = number
  default     = 8080
}
variable "cluster_primary_limit" {
  description = "Cluster primary limit."
  type        = number
  default     = 100
}
variable "cluster_primary_path" {
  description = "Cluster primary path."
  type        = string
  default     = "/"
}
variable "cluster_secondary_enabled" {
  description = "Cluster secondary enabled."
  type        = bool
  default     = true
}
variable "cluster_secondary_name" {
  description = "Cluster secondary name."
  type        = string
  default     = null
}
variable "cluster_secondary_tags" {
  description = "Cluster secondary tags."
  type        = map(string)
  default     = {}
}
variable "cluster_secondary_timeout" {
  description = "Cluster secondary timeout."
  type        = number
  default     = 30
}
variable "cluster_secondary_size" {
  description = "Cluster secondary size."
  type        = number
  default     = 8
}
variable "cluster_secondary_mode" {
  description = "Cluster secondary mode."
  type        = string
  default     = "standard"
}
variable "cluster_secondary_labels" {
  description = "Cluster secondary labels."
  type        = map(string)
  default     = {}
}
variable "cluster_secondary_port" {
  description = "Cluster secondary port."
  type        = number
  default     = 8080
}
variable "cluster_secondary_limit" {
  description = "Cluster secondary limit."
  type        = number
  default     = 100
}
variable "cluster_secondary_path" {
  description = "Cluster secondary path."
  type        = string
  default     = "/"
}
variable "cluster_public_enabled" {
  description = "Cluster public enabled."
  type        = bool
  default     = true
}
variable "cluster_public_name" {
  description = "Cluster public name."
  type        = string
  default     = null
}
variable "cluster_public_tags" {
  description = "Cluster public tags."
  type        = map(string)
  default     = {}
}
variable "cluster_public_timeout" {
  description = "Cluster public timeout."
  type        = number
  default     = 30
}
variable "cluster_public_size" {
  description = "Cluster public size."
  type        = number
  default     = 8
}
variable "cluster_public_mode" {
  description = "Cluster public mode."
  type        = string
  default     = "standard"
}
variable "cluster_public_labels" {
  description = "Cluster public labels."
  type        = map(string)
  default     = {}
}
variable "cluster_public_port" {
  description = "Cluster public port."
  type        = number
  default     = 8080
}
variable "cluster_public_limit" {
  description = "Cluster public limit."
  type        = number
  default     = 100
}
variable "cluster_public_path" {
  description = "Cluster public path."
  type        = string
  default     = "/"
}
variable "cluster_private_enabled" {
  description = "Cluster private enabled."
  type        = bool
  default     = true
}
variable "cluster_private_name" {
  description = "Cluster private name."
  type        = string
  default     = null
}
variable "cluster_private_tags" {
  description = "Cluster private tags."
  type        = map(string)
  default     = {}
}
variable "cluster_private_timeout" {
  description = "Cluster private timeout."
  type        = number
  default     = 30
}
variable "cluster_private_size" {
  description = "Cluster private size."
  type        = number
  default     = 8
}
variable "cluster_private_mode" {
  description = "Cluster private mode."
  type        = string
  default     = "standard"
}
variable "cluster_private_labels" {
  description = "Cluster private labels."
  type        = map(string)
  default     = {}
}
variable "cluster_private_port" {
  description = "Cluster private port."
  type        = number
  default     = 8080
}
variable "cluster_private_limit" {
  description = "Cluster private limit."
  type        = number
  default     = 100
}
variable "cluster_private_path" {
  description = "Cluster private path."
  type        = string
  default     = "/"
}
variable "cluster_internal_enabled" {
  description = "Cluster internal enabled."
  type        = bool
  default     = true
}
variable "cluster_internal_name" {
  description = "Cluster internal name."
  type        = string
  default     = null
}
variable "cluster_internal_tags" {
  description = "Cluster internal tags."
  type        = map(string)
  default     = {}
}
variable "cluster_internal_timeout" {
  description = "Cluster internal timeout."
  type        = number
  default     = 30
}
variable "cluster_internal_size" {
  description = "Cluster internal size."
  type        = number
  default     = 8
}
variable "cluster_internal_mode" {
  description = "Cluster internal mode."
  type        = string
  default     = "standard"
}
variable "cluster_internal_labels" {
  description = "Cluster internal labels."
  type        = map(string)
  default     = {}
}
variable "cluster_internal_port" {
  description = "Cluster internal port."
  type        = number
  default     = 8080
}
variable "cluster_internal_limit" {
  description = "Cluster internal limit."
  type        = number
  default     = 100
}
variable "cluster_internal_path" {
  description = "Cluster internal path."
  type        = string
  default     = "/"
}
variable "cluster_backup_enabled" {
  description = "Cluster backup enabled."
  type        = bool
  default     = true
}
variable "cluster_backup_name" {
  description = "Cluster backup name."
  type        = string
  default     = null
}
variable "cluster_backup_tags" {
  description = "Cluster backup tags."
  type        = map(string)
  default     = {}
}
variable "cluster_backup_timeout" {
  description = "Cluster backup timeout."
  type        = number
  default     = 30
}
variable "cluster_backup_size" {
  description = "Cluster backup size."
  type        = number
  default     = 8
}
variable "cluster_backup_mode" {
  description = "Cluster backup mode."
  type        = string
  default     = "standard"
}
variable "cluster_backup_labels" {
  description = "Cluster backup labels."
  type        = map(string)
  default     = {}
}
variable "cluster_backup_port" {
  description = "Cluster backup port."
  type        = number
  default     = 8080
}
variable "cluster_backup_limit" {
  description = "Cluster backup limit."
  type        = number
  default     = 100
}
variable "cluster_backup_path" {
  description = "Cluster backup path."
  type        = string
  default     = "/"
}
variable "cluster_monitoring_enabled" {
  description = "Cluster monitoring enabled."
  type        = bool
  default     = true
}
variable "cluster_monitoring_name" {
  description = "Cluster monitoring name."
  type        = string
  default     = null
}
variable "cluster_monitoring_tags" {
  description = "Cluster monitoring tags."
  type        = map(string)
  default     = {}
}
variable "cluster_monitoring_timeout" {
  description = "Cluster monitoring timeout."
  type        = number
  default     = 30
}
variable "cluster_monitoring_size" {
  description = "Cluster monitoring size."
  type        = number
  default     = 8
}
variable "cluster_monitoring_mode" {
  description = "Cluster monitoring mode."
  type        = string
  default     = "standard"
}
variable "cluster_monitoring_labels" {
  description = "Cluster monitoring labels."
  type        = map(string)
  default     = {}
}
variable "cluster_monitoring_port" {
  description = "Cluster monitoring port."
  type        = number
  default     = 8080
}
variable "cluster_monitoring_limit" {
  description = "Cluster monitoring limit."
  type        = number
  default     = 100
}
variable "cluster_monitoring_path" {
  description = "Cluster monitoring path."
  type        = string
  default     = "/"
}
variable "cluster_logging_enabled" {
  description = "Cluster logging enabled."
  type        = bool
  default     = true
}
variable "cluster_logging_name" {
  description = "Cluster logging name."
  type        = string
  default     = null
}
variable "cluster_logging_tags" {
  description = "Cluster logging tags."
  type        = map(string)
  default     = {}
}
variable "cluster_logging_timeout" {
  description = "Cluster logging timeout."
  type        = number
  default     = 30
}
variable "cluster_logging_size" {
  description = "Cluster logging size."
  type        = number
  default     = 8
}
variable "cluster_logging_mode" {
  description = "Cluster logging mode."
  type        = string
  default     = "standard"
}
variable "cluster_logging_labels" {
  description = "Cluster logging labels."
  type        = map(string)
  default     = {}
}
variable "cluster_logging_port" {
  description = "Cluster logging port."
  type        = number
  default     = 8080
}
variable "cluster_logging_limit" {
  description = "Cluster logging limit."
  type        = number
  default     = 100
}
variable "cluster_logging_path" {
  description = "Cluster logging path."
  type        = string
  default     = "/"
}
variable "cluster_audit_enabled" {
  description = "Cluster audit enabled."
  type        = bool
  default     = true
}
variable "cluster_audit_name" {
  description = "Cluster audit name."
  type        = string
  default     = null
}
variable "cluster_audit_tags" {
  description = "Cluster audit tags."
  type        = map(string)
  default     = {}
}
variable "cluster_audit_timeout" {
  description = "Cluster audit timeout."
  type        = number
  default     = 30
}
variable "cluster_audit_size" {
  description = "Cluster audit size."
  type        = number
  default     = 8
}
variable "cluster_audit_mode" {
  description = "Cluster audit mode."
  type        = string
  default     = "standard"
}
variable "cluster_audit_labels" {
  description = "Cluster audit labels."
  type        = map(string)
  default     = {}
}
variable "cluster_audit_port" {
  description = "Cluster audit port."
  type        = number
  default     = 8080
}
variable "cluster_audit_limit" {
  description = "Cluster audit limit."
  type        = number
  default     = 100
}
variable "cluster_audit_path" {
  description = "Cluster audit path."
  type        = string
  default     = "/"
}
variable "cluster_default_enabled" {
  description = "Cluster default enabled."
  type        = bool
  default     = true
}
variable "cluster_default_name" {
  description = "Cluster default name."
  type        = string
  default     = null
}
variable "cluster_default_tags" {
  description = "Cluster default tags."
  type        = map(string)
  default     = {}
}
variable "cluster_default_timeout" {
  description = "Cluster default timeout."
  type        = number
  default     = 30
}
variable "cluster_default_size" {
  description = "Cluster default size."
  type        = number
  default     = 8
}
variable "cluster_default_mode" {
  description = "Cluster default mode."
  type        = string
  default     = "standard"
}
variable "cluster_default_labels" {
  description = "Cluster default labels."
  type        = map(string)
  default     = {}
}
variable "cluster_default_port" {
  description = "Cluster default port."
  type        = number
  default     = 8080
}
variable "cluster_default_limit" {
  description = "Cluster default limit."
  type        = number
  default     = 100
}
variable "cluster_default_path" {
  description = "Cluster default path."
  type        = string
  default     = "/"
}

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
variable "cluster_name" {
  description = "Cluster of the nodes."
  type        = string
}
variable "subnets" {
  description = "Where the nodes run."
  type        = list(string)
}
variable "sizes" {
  description = "Sizes."
  type        = object({ min = number, max = number, desired = number })
  default     = { min = 1, max = 3, desired = 2 }
}
variable "instance_types" {
  description = "Instance types."
  type        = list(string)
  default     = ["m6i.large"]
}
variable "taints" {
  description = "Taints."
  type        = map(object({ value = string, effect = string }))
  default     = {}
}
variable "group_primary_enabled" {
  description = "Group primary enabled."
  type        = bool
  default     = true
}
variable "group_primary_name" {
  description = "Group primary name."
  type        = string
  default     = null
}
variable "group_primary_tags" {
  description = "Group primary tags."
  type        = map(string)
  default     = {}
}
variable "group_primary_timeout" {
  description = "Group primary timeout."
  type        = number
  default     = 30
}
variable "group_primary_size" {
  description = "Group primary size."
  type        = number
  default     = 8
}
variable "group_primary_mode" {
  description = "Group primary mode."
  type        = string
  default     = "standard"
}
variable "group_primary_labels" {
  description = "Group primary labels."
  type        = map(string)
  default     = {}
}
variable "group_primary_port" {
  description = "Group primary port."
  type        = number
  default     = 8080
}
variable "group_primary_limit" {
  description = "Group primary limit."
  type        = number
  default     = 100
}
variable "group_primary_path" {
  description = "Group primary path."
  type        = string
  default     = "/"
}
variable "group_secondary_enabled" {
  description = "Group secondary enabled."
  type        = bool
  default     = true
}
variable "group_secondary_name" {
  description = "Group secondary name."
  type        = string
  default     = null
}
variable "group_secondary_tags" {
  description = "Group secondary tags."
  type        = map(string)
  default     = {}
}
variable "group_secondary_timeout" {
  description = "Group secondary timeout."
  type        = number
  default     = 30
}
variable "group_secondary_size" {
  description = "Group secondary size."
  type        = number
  default     = 8
}
variable "group_secondary_mode" {
  description = "Group secondary mode."
  type        = string
  default     = "standard"
}
variable "group_secondary_labels" {
  description = "Group secondary labels."
  type        = map(string)
  default     = {}
}
variable "group_secondary_port" {
  description = "Group secondary port."
  type        = number
  default     = 8080
}
variable "group_secondary_limit" {
  description = "Group secondary limit."
  type        = number
  default     = 100
}
variable "group_secondary_path" {
  description = "Group secondary path."
  type        = string
  default     = "/"
}
variable "group_public_enabled" {
  description = "Group public enabled."
  type        = bool
  default     = true
}
variable "group_public_name" {
  description = "Group public name."
  type        = string
  default     = null
}
variable "group_public_tags" {
  description = "Group public tags."
  type        = map(string)
  default     = {}
}
variable "group_public_timeout" {
  description = "Group public timeout."
  type        = number
  default     = 30
}
variable "group_public_size" {
  description = "Group public size."
  type        = number
  default     = 8
}
variable "group_public_mode" {
  description = "Group public mode."
  type        = string
  default     = "standard"
}
variable "group_public_labels" {
  description = "Group public labels."
  type        = map(string)
  default     = {}
}
variable "group_public_port" {
  description = "Group public port."
  type        = number
  default     = 8080
}
variable "group_public_limit" {
  description = "Group public limit."
  type        = number
  default     = 100
}
variable "group_public_path" {
  description = "Group public path."
  type        = string
  default     = "/"
}
variable "group_private_enabled" {
  description = "Group private enabled."
  type        = bool
  default     = true
}
variable "group_private_name" {
  description = "Group private name."
  type        = string
  default     = null
}
variable "group_private_tags" {
  description = "Group private tags."
  type        = map(string)
  default     = {}
}
variable "group_private_timeout" {
  description = "Group private timeout."
  type        = number
  default     = 30
}
variable "group_private_size" {
  description = "Group private size."
  type        = number
  default     = 8
}
variable "group_private_mode" {
  description = "Group private mode."
  type        = string
  default     = "standard"
}
variable "group_private_labels" {
  description = "Group private labels."
  type        = map(string)
  default     = {}
}
variable "group_private_port" {
  description = "Group private port."
  type        = number
  default     = 8080
}
variable "group_private_limit" {
  description = "Group private limit."
  type        = number
  default     = 100
}
variable "group_private_path" {
  description = "Group private path."
  type        = string
  default     = "/"
}
variable "group_internal_enabled" {
  description = "Group internal enabled."
  type        = bool
  default     = true
}
variable "group_internal_name" {
  description = "Group internal name."
  type        = string
  default     = null
}
variable "group_internal_tags" {
  description = "Group internal tags."
  type        = map(string)
  default     = {}
}
variable "group_internal_timeout" {
  description = "Group internal timeout."
  type        = number
  default     = 30
}
variable "group_internal_size" {
  description = "Group internal size."
  type        = number
  default     = 8
}
variable "group_internal_mode" {
  description = "Group internal mode."
  type        = string
  default     = "standard"
}
variable "group_internal_labels" {
  description = "Group internal labels."
  type        = map(string)
  default     = {}
}
variable "group_internal_port" {
  description = "Group internal port."
  type        = number
  default     = 8080
}
variable "group_internal_limit" {
  description = "Group internal limit."
  type        = number
  default     = 100
}
variable "group_internal_path" {
  description = "Group internal path."
  type        = string
  default     = "/"
}
variable "group_backup_enabled" {
  description = "Group backup enabled."
  type        = bool
  default     = true
}
variable "group_backup_name" {
  description = "Group backup name."
  type        = string
  default     = null
}
variable "group_backup_tags" {
  description = "Group backup tags."
  type        = map(string)
  default     = {}
}
variable "group_backup_timeout" {
  description = "Group backup timeout."
  type        = number
  default     = 30
}
variable "group_backup_size" {
  description = "Group backup size."
  type        = number
  default     = 8
}
variable "group_backup_mode" {
  description = "Group backup mode."
  type        = string
  default     = "standard"
}
variable "group_backup_labels" {
  description = "Group backup labels."
  type        = map(string)
  default     = {}
}
variable "group_backup_port" {
  description = "Group backup port."
  type        = number
  default     = 8080
}
variable "group_backup_limit" {
  description = "Group backup limit."
  type        = number
  default     = 100
}
variable "group_backup_path" {
  description = "Group backup path."
  type        = string
  default     = "/"
}
variable "group_monitoring_enabled" {
  description = "Group monitoring enabled."
  type        = bool
  default     = true
}
variable "group_monitoring_name" {
  description = "Group monitoring name."
  type        = string
  default     = null
}
variable "group_monitoring_tags" {
  description = "Group monitoring tags."
  type        = map(string)
  default     = {}
}
variable "group_monitoring_timeout" {
  description = "Group monitoring timeout."
  type        = number
  default     = 30
}
variable "group_monitoring_size" {
  description = "Group monitoring size."
  type        = number
  default     = 8
}
variable "group_monitoring_mode" {
  description = "Group monitoring mode."
  type        = string
  default     = "standard"
}
variable "group_monitoring_labels" {
  description = "Group monitoring labels."
  type        = map(string)
  default     = {}
}
variable "group_monitoring_port" {
  description = "Group monitoring port."
  type        = number
  default     = 8080
}
variable "group_monitoring_limit" {
  description = "Group monitoring limit."
  type        = number
  default     = 100
}
variable "group_monitoring_path" {
  description = "Group monitoring path."
  type        = string
  default     = "/"
}
variable "group_logging_enabled" {
  description = "Group logging enabled."
  type        = bool
  default     = true
}
variable "group_logging_name" {
  description = "Group logging name."
  type        = string
  default     = null
}
variable "group_logging_tags" {
  description = "Group logging tags."
  type        = map(string)
  default     = {}
}
variable "group_logging_timeout" {
  description = "Group logging timeout."
  type        = number
  default     = 30
}
variable "group_logging_size" {
  description = "Group logging size."
  type        = number
  default     = 8
}
variable "group_logging_mode" {
  description = "Group logging mode."
  type        = string
  default     = "standard"
}
variable "group_logging_labels" {
  description = "Group logging labels."
  type        = map(string)
  default     = {}
}
variable "group_logging_port" {
  description = "Group logging port."
  type        = number
  default     = 8080
}
variable "group_logging_limit" {
  description = "Group logging limit."
  type        = number
  default     = 100
}
variable "group_logging_path" {
  description = "Group logging path."
  type        = string
  default     = "/"
}
variable "group_audit_enabled" {
  description = "Group audit enabled."
  type        = bool
  default     = true
}
variable "group_audit_name" {
  description = "Group audit name."
  type        = string
  default     = null
}
variable "group_audit_tags" {
  description = "Group audit tags."
  type        = map(string)
  default     = {}
}
variable "group_audit_timeout" {
  description = "Group audit timeout."
  type        = number
  default     = 30
}
variable "group_audit_size" {
  description = "Group audit size."
  type        = number
  default     = 8
}
variable "group_audit_mode" {
  description = "Group audit mode."
  type        = string
  default     = "standard"
}
variable "group_audit_labels" {
  description = "Group audit labels."
  type        = map(string)
  default     = {}
}
variable "group_audit_port" {
  description = "Group audit port."
  type        = number
  default     = 8080
}
variable "group_audit_limit" {
  description = "Group audit limit."
  type        = number
  default     = 100
}
variable "group_audit_path" {
  description = "Group audit path."
  type        = string
  default     = "/"
}
variable "group_default_enabled" {
  description = "Group default enabled."
  type        = bool
  default     = true
}
variable "group_default_name" {
  description = "Group default name."
  type        = string
  default     = null
}
variable "group_default_tags" {
  description = "Group default tags."
  type        = map(string)
  default     = {}
}
variable "group_default_timeout" {
  description = "Group default timeout."
  type        = number
  default     = 30
}
variable "group_default_size" {
  description = "Group default size."
  type        = number
  default     = 8
}
variable "group_default_mode" {
  description = "Group default mode."
  type        = string
  default     = "standard"
}
variable "group_default_labels" {
  description = "Group default labels."
  type        = map(string)
  default     = {}
}
variable "group_default_port" {
  description = "Group default port."
  type        = number
  default     = 8080
}
variable "group_default_limit" {
  description = "Group default limit."
  type        = number
  default     = 100
}
variable "group_default_path" {
  description = "Group default path."
  type        = string
  default     = "/"
}

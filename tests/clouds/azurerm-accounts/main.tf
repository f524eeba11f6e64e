terraform {
  required_version = ">= 1.5"

  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "~> 4.0"
    }
  }
}


variable "account" {
  type = object({
    tier        = optional(string, "Standard")
    replication = optional(string, "LRS")
    blob = optional(object({
      versioning     = optional(bool, false)
      retention_days = optional(number)
      cors = optional(list(object({
        allowed_origins = list(string)
        allowed_methods = list(string)
      })), [])
    }), {})
    network_rules = optional(object({
      default_action = optional(string, "Deny")
      ip_rules       = optional(set(string), [])
      bypass         = optional(set(string), ["AzureServices"])
    }))
    identity_ids = optional(set(string), [])
  })
  default = { blob = { retention_days = 7, cors = [{ allowed_origins = ["*"], allowed_methods = ["GET"] }] }, network_rules = {} }
}

variable "containers" {
  type    = list(object({ name = string, access = optional(string, "private") }))
  default = [{ name = "logs" }, { name = "public", access = "blob" }]
}

variable "lifecycles" {
  type    = list(object({ prefix_match = set(string), tier_to_cool = number, delete = optional(number) }))
  default = [{ prefix_match = ["logs/"], tier_to_cool = 30 }]
}

locals {
  name          = substr(lower(replace("st-${terraform.workspace}-main", "/[^a-z0-9]/", "")), 0, 24)
  account       = one([azurerm_storage_account.this])
  identity_type = length(var.account.identity_ids) > 0 ? "SystemAssigned, UserAssigned" : "SystemAssigned"
}

provider "azurerm" {
  features {}
  resource_provider_registrations = "none"
}

resource "azurerm_storage_account" "this" {
  name                     = local.name
  resource_group_name      = "rg"
  location                 = "westeurope"
  account_kind             = "StorageV2"
  account_tier             = var.account.tier
  account_replication_type = var.account.replication
  min_tls_version          = "TLS1_2"

  identity {
    type         = local.identity_type
    identity_ids = local.identity_type == "SystemAssigned, UserAssigned" ? var.account.identity_ids : null
  }

  blob_properties {
    versioning_enabled = var.account.blob.versioning
    dynamic "delete_retention_policy" {
      for_each = var.account.blob.retention_days[*]
      content {
        days = delete_retention_policy.value
      }
    }
    dynamic "cors_rule" {
      for_each = var.account.blob.cors
      content {
        allowed_headers    = ["*"]
        allowed_methods    = cors_rule.value.allowed_methods
        allowed_origins    = cors_rule.value.allowed_origins
        exposed_headers    = []
        max_age_in_seconds = 3600
      }
    }
  }

  dynamic "network_rules" {
    for_each = var.account.network_rules[*]
    content {
      default_action = network_rules.value.default_action
      bypass         = network_rules.value.bypass
      ip_rules       = network_rules.value.ip_rules
    }
  }
}

resource "azurerm_storage_container" "container" {
  count                 = length(var.containers)
  name                  = var.containers[count.index].name
  storage_account_id    = azurerm_storage_account.this.id
  container_access_type = var.containers[count.index].access
}

resource "azurerm_storage_management_policy" "main" {
  count              = length(var.lifecycles) == 0 ? 0 : 1
  storage_account_id = azurerm_storage_account.this.id
  dynamic "rule" {
    for_each = var.lifecycles
    iterator = rule
    content {
      name    = "rule${rule.key}"
      enabled = true
      filters {
        prefix_match = rule.value.prefix_match
        blob_types   = ["blockBlob"]
      }
      actions {
        base_blob {
          tier_to_cool_after_days_since_modification_greater_than = rule.value.tier_to_cool
          delete_after_days_since_modification_greater_than       = rule.value.delete
        }
        snapshot {
          delete_after_days_since_creation_greater_than = 7
        }
      }
    }
  }
}

output "containers" {
  value = { for c in azurerm_storage_container.container : c.name => c.id }
}

output "endpoint" {
  value = local.account.primary_blob_endpoint
}

output "principal" {
  value = try(azurerm_storage_account.this.identity[0].principal_id, null)
}

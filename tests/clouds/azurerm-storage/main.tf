terraform {
  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "~> 4.0"
    }
  }
}

provider "azurerm" {
  features {}
}

variable "name" {
  type    = string
  default = "exampledata"
  validation {
    condition     = can(regex("^[a-z0-9]{3,24}$", var.name))
    error_message = "Between 3 and 24 lower-case letters and digits."
  }
}

variable "containers" {
  type    = set(string)
  default = ["raw", "clean"]
}

resource "azurerm_resource_group" "this" {
  name     = "rg-${var.name}"
  location = "northeurope"
}

resource "azurerm_storage_account" "this" {
  name                            = var.name
  resource_group_name             = azurerm_resource_group.this.name
  location                        = azurerm_resource_group.this.location
  account_tier                    = "Standard"
  account_replication_type        = "ZRS"
  account_kind                    = "StorageV2"
  min_tls_version                 = "TLS1_2"
  allow_nested_items_to_be_public = false

  blob_properties {
    versioning_enabled = true
    delete_retention_policy {
      days = 30
    }
    container_delete_retention_policy {
      days = 7
    }
  }

  network_rules {
    default_action = "Deny"
    bypass         = ["AzureServices"]
    ip_rules       = ["203.0.113.7"]
  }
}

resource "azurerm_storage_container" "this" {
  for_each = var.containers

  name                  = each.value
  storage_account_id    = azurerm_storage_account.this.id
  container_access_type = "private"
}

resource "azurerm_storage_management_policy" "this" {
  storage_account_id = azurerm_storage_account.this.id
  rule {
    name    = "age"
    enabled = true
    filters {
      prefix_match = [for name in var.containers : "${name}/"]
      blob_types   = ["blockBlob"]
    }
    actions {
      base_blob {
        tier_to_cool_after_days_since_modification_greater_than = 30
        delete_after_days_since_modification_greater_than       = 365
      }
    }
  }
}

output "endpoint" {
  value = azurerm_storage_account.this.primary_blob_endpoint
}

output "key" {
  value     = azurerm_storage_account.this.primary_access_key
  sensitive = true
}

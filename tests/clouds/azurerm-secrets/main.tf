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

variable "readers" {
  type    = set(string)
  default = []
}

data "azurerm_client_config" "current" {}

resource "azurerm_resource_group" "this" {
  name     = "rg-secrets"
  location = "westeurope"
}

resource "azurerm_key_vault" "this" {
  name                       = "kv-example"
  location                   = azurerm_resource_group.this.location
  resource_group_name        = azurerm_resource_group.this.name
  tenant_id                  = data.azurerm_client_config.current.tenant_id
  sku_name                   = "standard"
  soft_delete_retention_days = 30
  purge_protection_enabled   = true

  network_acls {
    default_action = "Deny"
    bypass         = "AzureServices"
  }
}

resource "azurerm_key_vault_access_policy" "reader" {
  for_each           = var.readers
  key_vault_id       = azurerm_key_vault.this.id
  tenant_id          = azurerm_key_vault.this.tenant_id
  object_id          = each.value
  secret_permissions = ["Get", "List"]
}

resource "azurerm_mssql_server" "this" {
  name                = "sql-example"
  resource_group_name = azurerm_resource_group.this.name
  location            = azurerm_resource_group.this.location
  version             = "12.0"
  minimum_tls_version = "1.2"

  azuread_administrator {
    login_username              = "admins"
    object_id                   = data.azurerm_client_config.current.object_id
    azuread_authentication_only = true
  }
}

resource "azurerm_mssql_database" "this" {
  for_each    = toset(["orders", "stock"])
  name        = each.key
  server_id   = azurerm_mssql_server.this.id
  sku_name    = "S0"
  max_size_gb = 10

  short_term_retention_policy {
    retention_days = 7
  }

  lifecycle {
    prevent_destroy = true
  }
}

resource "azurerm_key_vault_secret" "connection" {
  for_each     = azurerm_mssql_database.this
  name         = "connection-${each.key}"
  key_vault_id = azurerm_key_vault.this.id
  value        = "Server=${azurerm_mssql_server.this.fully_qualified_domain_name};Database=${each.value.name}"
}

resource "azurerm_private_endpoint" "sql" {
  name                = "pe-sql"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  subnet_id           = "/subscriptions/x/subnets/data"

  private_service_connection {
    name                           = "sql"
    private_connection_resource_id = azurerm_mssql_server.this.id
    subresource_names              = ["sqlServer"]
    is_manual_connection           = false
  }
}

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

variable "subnets" {
  type = map(object({
    prefix      = string
    delegations = optional(map(list(string)), {})
    endpoints   = optional(set(string))
    nsg         = optional(string)
  }))
  default = {
    app = { prefix = "10.0.1.0/24", nsg = "web", delegations = { "Microsoft.Web/serverFarms" = ["Microsoft.Network/virtualNetworks/subnets/action"] } }
    db  = { prefix = "10.0.2.0/24" }
  }
}

variable "nsg_rules" {
  type = map(list(tuple([string, number, string, string])))
  default = {
    web = [["http", 100, "Inbound", "80"], ["https", 110, "Inbound", "443"]]
  }
}

resource "azurerm_resource_group" "this" {
  name     = "rg"
  location = "westeurope"
}

resource "azurerm_virtual_network" "this" {
  name                = "vnet"
  resource_group_name = azurerm_resource_group.this.name
  location            = azurerm_resource_group.this.location
  address_space       = ["10.0.0.0/16"]
  dynamic "ddos_protection_plan" {
    for_each = []
    content {
      enable = true
      id     = ddos_protection_plan.value.id
    }
  }
}

resource "azurerm_subnet" "this" {
  for_each             = var.subnets
  name                 = each.key
  resource_group_name  = azurerm_resource_group.this.name
  virtual_network_name = azurerm_virtual_network.this.name
  address_prefixes     = [each.value.prefix]
  service_endpoints    = each.value.endpoints
  dynamic "delegation" {
    for_each = each.value.delegations
    content {
      name = replace(delegation.key, "/", "-")
      service_delegation {
        name    = delegation.key
        actions = delegation.value
      }
    }
  }
}

resource "azurerm_network_security_group" "this" {
  for_each            = var.nsg_rules
  name                = each.key
  resource_group_name = azurerm_resource_group.this.name
  location            = azurerm_resource_group.this.location
  dynamic "security_rule" {
    for_each = { for r in each.value : r[0] => r }
    content {
      name                       = security_rule.key
      priority                   = security_rule.value[1]
      direction                  = security_rule.value[2]
      access                     = "Allow"
      protocol                   = "Tcp"
      source_port_range          = "*"
      destination_port_range     = security_rule.value[3]
      source_address_prefix      = "*"
      destination_address_prefix = "*"
    }
  }
}

resource "azurerm_subnet_network_security_group_association" "this" {
  for_each                  = { for k, s in var.subnets : k => s.nsg if s.nsg != null }
  subnet_id                 = azurerm_subnet.this[each.key].id
  network_security_group_id = azurerm_network_security_group.this[each.value].id
}

resource "azurerm_private_endpoint" "this" {
  name                = "pe"
  resource_group_name = azurerm_resource_group.this.name
  location            = azurerm_resource_group.this.location
  subnet_id           = azurerm_subnet.this["db"].id
  private_service_connection {
    name                           = "psc"
    private_connection_resource_id = azurerm_storage_account.this.id
    is_manual_connection           = false
    subresource_names              = ["blob"]
  }
  private_dns_zone_group {
    name                 = "default"
    private_dns_zone_ids = [azurerm_private_dns_zone.this.id]
  }
}

resource "azurerm_private_dns_zone" "this" {
  name                = "privatelink.blob.core.windows.net"
  resource_group_name = azurerm_resource_group.this.name
}

resource "azurerm_storage_account" "this" {
  name                     = "st${substr(sha1(azurerm_resource_group.this.id), 0, 8)}"
  resource_group_name      = azurerm_resource_group.this.name
  location                 = azurerm_resource_group.this.location
  account_tier             = "Standard"
  account_replication_type = "LRS"
  blob_properties {
    delete_retention_policy {
      days = 7
    }
  }
  network_rules {
    default_action             = "Deny"
    virtual_network_subnet_ids = [for s in azurerm_subnet.this : s.id if contains(coalesce(s.service_endpoints, []), "Microsoft.Storage")]
  }
}

output "ip" {
  value = azurerm_private_endpoint.this.private_service_connection[0].private_ip_address
}

output "guids" {
  value = azurerm_virtual_network.this.subnet[*].security_group
}

output "vnet_address" {
  value = one(azurerm_virtual_network.this.address_space)
}

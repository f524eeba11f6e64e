terraform {
  required_version = ">= 1.5"
  required_providers {
    azurerm = {
      source = "hashicorp/azurerm"
    }
  }
}

variable "rules" {
  type = list(object({
    name     = string
    priority = number
    ports    = list(string)
    sources  = optional(list(string), ["*"])
  }))
  default = [{ name = "web", priority = 100, ports = ["80", "443"] }]
}

variable "peer" {
  type    = string
  default = null
}

locals {
  names = ["hub", "spoke"]
  ports = flatten([for it in var.rules : [for port in it.ports : { rule = it.name, port = port }]])
}

provider "azurerm" {
  features {}
}

resource "azurerm_resource_group" "this" {
  name     = "net"
  location = "uksouth"
}

resource "azurerm_virtual_network" "this" {
  count               = length(local.names)
  name                = local.names[count.index]
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  address_space       = ["10.${count.index}.0.0/16"]
}

resource "azurerm_subnet" "firewall" {
  name                 = "AzureFirewallSubnet"
  resource_group_name  = azurerm_resource_group.this.name
  virtual_network_name = azurerm_virtual_network.this[0].name
  address_prefixes     = ["10.0.1.0/24"]
}

resource "azurerm_virtual_network_peering" "this" {
  count                     = var.peer != null ? 1 : 0
  name                      = "peer"
  resource_group_name       = azurerm_resource_group.this.name
  virtual_network_name      = azurerm_virtual_network.this[1].name
  remote_virtual_network_id = var.peer
  allow_forwarded_traffic   = true
}

resource "azurerm_public_ip" "this" {
  name                = "firewall"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  allocation_method   = "Static"
  sku                 = "Standard"
  zones               = ["1", "2"]
}

resource "azurerm_firewall_policy" "this" {
  name                = "policy"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  dns {
    proxy_enabled = true
  }
}

resource "azurerm_firewall" "this" {
  name                = "firewall"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  sku_name            = "AZFW_VNet"
  sku_tier            = "Standard"
  firewall_policy_id  = azurerm_firewall_policy.this.id
  ip_configuration {
    name                 = "main"
    subnet_id            = azurerm_subnet.firewall.id
    public_ip_address_id = azurerm_public_ip.this.id
  }
}

resource "azurerm_firewall_policy_rule_collection_group" "this" {
  name               = "rules"
  firewall_policy_id = azurerm_firewall_policy.this.id
  priority           = 500
  dynamic "network_rule_collection" {
    for_each = var.rules
    content {
      name     = network_rule_collection.value.name
      priority = network_rule_collection.value.priority
      action   = "Allow"
      rule {
        name                  = "all"
        protocols             = ["TCP"]
        source_addresses      = network_rule_collection.value.sources
        destination_addresses = ["*"]
        destination_ports     = network_rule_collection.value.ports
      }
    }
  }
}

resource "azurerm_route_table" "this" {
  name                = "out"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  route {
    name                   = "internet"
    address_prefix         = "0.0.0.0/0"
    next_hop_type          = "VirtualAppliance"
    next_hop_in_ip_address = azurerm_firewall.this.ip_configuration[0].private_ip_address
  }
}

resource "azurerm_network_security_group" "this" {
  name                = "all"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
}

resource "azurerm_network_security_rule" "this" {
  for_each                    = { for at, it in local.ports : "${it.rule}-${it.port}" => merge(it, { priority = 100 + at }) }
  name                        = each.key
  resource_group_name         = azurerm_resource_group.this.name
  network_security_group_name = azurerm_network_security_group.this.name
  priority                    = each.value.priority
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "Tcp"
  source_port_range           = "*"
  destination_port_range      = each.value.port
  source_address_prefix       = "*"
  destination_address_prefix  = "*"
}

output "networks" {
  value = zipmap(azurerm_virtual_network.this[*].name, azurerm_virtual_network.this[*].id)
}

output "peering" {
  value = one(azurerm_virtual_network_peering.this[*].id)
}

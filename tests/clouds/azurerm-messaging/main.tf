terraform {
  required_version = ">= 1.5"
  required_providers {
    azurerm = {
      source = "hashicorp/azurerm"
    }
  }
}

variable "queues" {
  type    = map(object({ size = optional(number, 1024), sessions = optional(bool, false) }))
  default = { orders = {}, mail = { sessions = true } }
}

variable "private" {
  type    = bool
  default = false
}

provider "azurerm" {
  features {}
  subscription_id = "00000000-0000-0000-0000-000000000000"
}

resource "azurerm_resource_group" "this" {
  name     = "messaging"
  location = "westeurope"
}

resource "azurerm_servicebus_namespace" "this" {
  name                = "messaging"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  sku                 = var.private ? "Premium" : "Standard"
  identity {
    type = "SystemAssigned"
  }
}

resource "azurerm_servicebus_queue" "this" {
  for_each              = var.queues
  name                  = each.key
  namespace_id          = azurerm_servicebus_namespace.this.id
  max_size_in_megabytes = each.value.size
  requires_session      = each.value.sessions
}

resource "azurerm_servicebus_topic" "this" {
  count        = 2
  name         = "topic-${count.index}"
  namespace_id = azurerm_servicebus_namespace.this.id
}

resource "azurerm_servicebus_subscription" "this" {
  count              = length(azurerm_servicebus_topic.this)
  name               = "all"
  topic_id           = azurerm_servicebus_topic.this[count.index].id
  max_delivery_count = 5
}

resource "azurerm_eventhub_namespace" "this" {
  name                = "events"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  sku                 = "Standard"
  capacity            = 1
}

resource "azurerm_eventhub" "this" {
  name              = "clicks"
  namespace_id      = azurerm_eventhub_namespace.this.id
  partition_count   = 2
  message_retention = 1
}

resource "azurerm_private_endpoint" "this" {
  count               = var.private ? 1 : 0
  name                = "bus"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  subnet_id           = azurerm_subnet.this[0].id
  private_service_connection {
    name                           = "bus"
    private_connection_resource_id = azurerm_servicebus_namespace.this.id
    is_manual_connection           = false
    subresource_names              = ["namespace"]
  }
}

resource "azurerm_virtual_network" "this" {
  count               = var.private ? 1 : 0
  name                = "bus"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  address_space       = ["10.0.0.0/16"]
}

resource "azurerm_subnet" "this" {
  count                = var.private ? 1 : 0
  name                 = "bus"
  resource_group_name  = azurerm_resource_group.this.name
  virtual_network_name = azurerm_virtual_network.this[0].name
  address_prefixes     = [cidrsubnet(one(azurerm_virtual_network.this[0].address_space), 8, 0)]
}

resource "azurerm_role_assignment" "this" {
  for_each             = { for name, it in azurerm_servicebus_queue.this : name => it.id }
  scope                = each.value
  role_definition_name = "Azure Service Bus Data Sender"
  principal_id         = azurerm_servicebus_namespace.this.identity[0].principal_id
}

output "address" {
  value = try(azurerm_private_endpoint.this[0].private_service_connection[0].private_ip_address, null)
}

output "topics" {
  value = azurerm_servicebus_topic.this[*].name
}

terraform {
  required_version = ">= 1.5"
  required_providers {
    azurerm = {
      source = "hashicorp/azurerm"
    }
  }
}

variable "alerts" {
  type = map(object({
    metric    = string
    operator  = string
    threshold = number
    severity  = optional(number, 3)
  }))
  default = {
    cpu    = { metric = "Percentage CPU", operator = "GreaterThan", threshold = 80 }
    memory = { metric = "Available Memory Bytes", operator = "LessThan", threshold = 1073741824, severity = 2 }
  }
}

variable "mails" {
  type    = list(string)
  default = ["a@example.com"]
}

provider "azurerm" {
  features {}
  subscription_id = "00000000-0000-0000-0000-000000000000"
}

data "azurerm_subscription" "current" {}

resource "azurerm_resource_group" "this" {
  for_each = toset(["logs", "alerts"])
  name     = each.key
  location = "northeurope"
}

resource "azurerm_log_analytics_workspace" "this" {
  name                = "logs"
  location            = azurerm_resource_group.this["logs"].location
  resource_group_name = azurerm_resource_group.this["logs"].name
  sku                 = "PerGB2018"
  retention_in_days   = 30
}

resource "azurerm_application_insights" "this" {
  name                = "app"
  location            = azurerm_log_analytics_workspace.this.location
  resource_group_name = azurerm_log_analytics_workspace.this.resource_group_name
  workspace_id        = azurerm_log_analytics_workspace.this.id
  application_type    = "web"
}

resource "azurerm_monitor_action_group" "this" {
  name                = "mail"
  resource_group_name = azurerm_resource_group.this["alerts"].name
  short_name          = "mail"
  dynamic "email_receiver" {
    for_each = { for at, mail in var.mails : at => mail }
    content {
      name          = "mail-${email_receiver.key}"
      email_address = email_receiver.value
    }
  }
}

resource "azurerm_monitor_metric_alert" "this" {
  for_each            = var.alerts
  name                = each.key
  resource_group_name = azurerm_resource_group.this["alerts"].name
  scopes              = [data.azurerm_subscription.current.id]
  severity            = each.value.severity
  criteria {
    metric_namespace = "Microsoft.Compute/virtualMachines"
    metric_name      = each.value.metric
    aggregation      = "Average"
    operator         = each.value.operator
    threshold        = each.value.threshold
  }
  action {
    action_group_id = azurerm_monitor_action_group.this.id
  }
}

resource "azurerm_monitor_diagnostic_setting" "this" {
  count                      = length(var.mails) > 0 ? 1 : 0
  name                       = "all"
  target_resource_id         = azurerm_application_insights.this.id
  log_analytics_workspace_id = azurerm_log_analytics_workspace.this.id
  enabled_log {
    category_group = "allLogs"
  }
}

resource "azurerm_monitor_scheduled_query_rules_alert_v2" "errors" {
  name                 = "errors"
  location             = azurerm_application_insights.this.location
  resource_group_name  = azurerm_resource_group.this["alerts"].name
  scopes               = [azurerm_application_insights.this.id]
  severity             = 1
  evaluation_frequency = "PT5M"
  window_duration      = "PT5M"
  criteria {
    query                   = "exceptions | count"
    time_aggregation_method = "Count"
    operator                = "GreaterThan"
    threshold               = 10
    failing_periods {
      minimum_failing_periods_to_trigger_alert = 1
      number_of_evaluation_periods             = 1
    }
  }
  action {
    action_groups = [azurerm_monitor_action_group.this.id]
  }
}

output "keys" {
  value     = { app = azurerm_application_insights.this.connection_string, logs = azurerm_log_analytics_workspace.this.primary_shared_key }
  sensitive = true
}

output "alerts" {
  value = { for name, it in azurerm_monitor_metric_alert.this : name => it.severity }
}

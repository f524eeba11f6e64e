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

variable "settings" {
  type    = map(string)
  default = { LEVEL = "info" }
}

resource "azurerm_resource_group" "this" {
  name     = "rg-web"
  location = "westeurope"
}

resource "azurerm_service_plan" "this" {
  name                = "plan-web"
  resource_group_name = azurerm_resource_group.this.name
  location            = azurerm_resource_group.this.location
  os_type             = "Linux"
  sku_name            = "P1v3"
}

resource "azurerm_linux_web_app" "this" {
  name                = "app-example"
  resource_group_name = azurerm_resource_group.this.name
  location            = azurerm_service_plan.this.location
  service_plan_id     = azurerm_service_plan.this.id
  https_only          = true
  app_settings        = merge(var.settings, { STARTED_BY = "terraform" })

  site_config {
    always_on         = true
    health_check_path = "/healthy"
    application_stack {
      node_version = "20-lts"
    }
  }

  identity {
    type = "SystemAssigned"
  }

  logs {
    http_logs {
      file_system {
        retention_in_days = 7
        retention_in_mb   = 35
      }
    }
  }
}

resource "azurerm_monitor_autoscale_setting" "this" {
  name                = "scale-web"
  resource_group_name = azurerm_resource_group.this.name
  location            = azurerm_resource_group.this.location
  target_resource_id  = azurerm_service_plan.this.id

  profile {
    name = "load"
    capacity {
      default = 1
      minimum = 1
      maximum = 5
    }
    dynamic "rule" {
      for_each = { Increase = ["GreaterThan", 75], Decrease = ["LessThan", 25] }
      content {
        metric_trigger {
          metric_name        = "CpuPercentage"
          metric_resource_id = azurerm_service_plan.this.id
          time_grain         = "PT1M"
          statistic          = "Average"
          time_window        = "PT5M"
          time_aggregation   = "Average"
          operator           = rule.value[0]
          threshold          = rule.value[1]
        }
        scale_action {
          direction = rule.key
          type      = "ChangeCount"
          value     = "1"
          cooldown  = "PT5M"
        }
      }
    }
  }
}

output "url" {
  value = "https://${azurerm_linux_web_app.this.default_hostname}"
}

output "principal" {
  value = azurerm_linux_web_app.this.identity[0].principal_id
}

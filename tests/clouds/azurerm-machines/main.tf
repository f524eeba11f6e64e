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

variable "machines" {
  type    = map(object({ size = string, disks = optional(list(number), []) }))
  default = { one = { size = "Standard_B2s", disks = [64, 128] } }
}

variable "subnet_id" {
  type    = string
  default = "/subscriptions/x/subnets/main"
}

variable "public_key" {
  type    = string
  default = "ssh-ed25519 AAAA example"
}

locals {
  disks = merge([
    for machine, it in var.machines : {
      for index, size in it.disks : "${machine}-${index}" => { machine = machine, lun = index + 10, size = size }
    }
  ]...)
}

resource "azurerm_resource_group" "this" {
  name     = "rg-machines"
  location = "westeurope"
}

resource "azurerm_network_interface" "this" {
  for_each            = var.machines
  name                = "nic-${each.key}"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  ip_configuration {
    name                          = "main"
    subnet_id                     = var.subnet_id
    private_ip_address_allocation = "Dynamic"
  }
}

resource "azurerm_linux_virtual_machine" "this" {
  for_each              = var.machines
  name                  = "vm-${each.key}"
  location              = azurerm_resource_group.this.location
  resource_group_name   = azurerm_resource_group.this.name
  size                  = each.value.size
  admin_username        = "operator"
  network_interface_ids = [azurerm_network_interface.this[each.key].id]
  custom_data           = base64encode(templatefile("${path.module}/init.tftpl", { name = each.key }))

  admin_ssh_key {
    username   = "operator"
    public_key = var.public_key
  }

  os_disk {
    caching              = "ReadWrite"
    storage_account_type = "Premium_LRS"
  }

  source_image_reference {
    publisher = "Canonical"
    offer     = "ubuntu-24_04-lts"
    sku       = "server"
    version   = "latest"
  }

  boot_diagnostics {}
}

resource "azurerm_managed_disk" "this" {
  for_each             = local.disks
  name                 = "disk-${each.key}"
  location             = azurerm_resource_group.this.location
  resource_group_name  = azurerm_resource_group.this.name
  storage_account_type = "Premium_LRS"
  create_option        = "Empty"
  disk_size_gb         = each.value.size
}

resource "azurerm_virtual_machine_data_disk_attachment" "this" {
  for_each           = local.disks
  managed_disk_id    = azurerm_managed_disk.this[each.key].id
  virtual_machine_id = azurerm_linux_virtual_machine.this[each.value.machine].id
  lun                = each.value.lun
  caching            = "ReadOnly"
}

output "addresses" {
  value = { for name, machine in azurerm_linux_virtual_machine.this : name => machine.private_ip_address }
}

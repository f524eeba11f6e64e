removed {
  from = terraform_data.forgotten

  lifecycle {
    destroy = false
  }
}

removed {
  from = terraform_data.destroyed

  lifecycle {
    destroy = true
  }

  provisioner "local-exec" {
    when    = destroy
    command = "echo ${self.input}"
  }
}

removed {
  from = terraform_data.by_default
}

removed {
  from = module.forgotten

  lifecycle {
    destroy = false
  }
}

resource "terraform_data" "stays" {
  input = 1
}

module "partly" {
  source = "./modules/part"
}

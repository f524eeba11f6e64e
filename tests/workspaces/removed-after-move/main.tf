moved {
  from = terraform_data.a
  to   = terraform_data.b
}

removed {
  from = terraform_data.b

  lifecycle {
    destroy = false
  }
}

moved {
  from = module.m.terraform_data.inner
  to   = terraform_data.outer
}

removed {
  from = terraform_data.outer
}

output "only" {
  value = "an output"
}

# Several blocks remove one object. In Terraform the first one of each address counts, and one that forgets is enough.
removed {
  from = module.forgotten_as_a_whole.terraform_data.x
  lifecycle {
    destroy = true
  }
}

removed {
  from = module.forgotten_as_a_whole
  lifecycle {
    destroy = false
  }
}

removed {
  from = module.destroyed_as_a_whole.terraform_data.x
  lifecycle {
    destroy = false
  }
}

removed {
  from = module.destroyed_as_a_whole
  lifecycle {
    destroy = true
  }
}

removed {
  from = terraform_data.twice
  lifecycle {
    destroy = false
  }
}

removed {
  from = terraform_data.twice
  lifecycle {
    destroy = true
  }
}

removed {
  from = terraform_data.twice_otherwise
  lifecycle {
    destroy = true
  }
}

removed {
  from = terraform_data.twice_otherwise
  lifecycle {
    destroy = false
  }
}

later_auto = "c.auto.tfvars"
file       = "c.auto.tfvars"
option     = "c.auto.tfvars"

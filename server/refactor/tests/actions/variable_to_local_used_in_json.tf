# do Convert var.name to a local value
variable "$0name" {
  default = "x"
}
#- /outputs.tf.json
{ "output": { "id": { "value": "${var.name}" } } }
#=
no changes to infrastructure
#- /main.tf
# do Convert var.name to a local value
locals {
  name = "x"
}
#- /outputs.tf.json
{ "output": { "id": { "value": "${local.name}" } } }

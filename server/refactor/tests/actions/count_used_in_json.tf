# do Add count to terraform_data.a
resource "terraform_data" "$0a" {
  input = "x"
}
#- /outputs.tf.json
{ "output": { "id": { "value": "${terraform_data.a.id}" } } }
#=
refused: It is used in outputs.tf.json, where only names can be changed.

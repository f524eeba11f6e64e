# do Add count to terraform_data.a
resource "terraform_data" "$0a" {
  input = "x"
}
#- /outputs.tf.json
{ "output": { "id": { "value": "${terraform_data.a.id}" } } }
#=
refused: outputs.tf.json is in JSON syntax, where planlens can change only names.

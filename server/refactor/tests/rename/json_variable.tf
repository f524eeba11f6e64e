# rename zone
locals {}
#- /main.tf.json
{
  "variable": { "$0region": { "default": "here" } },
  "locals": { "where": "${var.region}" }
}
#- /terraform.tfvars
region = "there"
#=
no changes to infrastructure
#- /main.tf.json
{
  "variable": { "zone": { "default": "here" } },
  "locals": { "where": "${var.zone}" }
}
#- /terraform.tfvars
zone = "there"

# rename b
locals {}
#- /main.tf.json
{
  "resource": {
    "terraform_data": {
      "$0a": { "input": "x" }
    }
  },
  "output": {
    "id": {
      "value": "${terraform_data.a.id} and \"${upper(terraform_data.a.output)}\"",
      "depends_on": ["terraform_data.a"]
    }
  }
}
#- state terraform_data.a
x
#=
no changes to infrastructure
#- /main.tf.json
{
  "resource": {
    "terraform_data": {
      "b": { "input": "x" }
    }
  },
  "output": {
    "id": {
      "value": "${terraform_data.b.id} and \"${upper(terraform_data.b.output)}\"",
      "depends_on": ["terraform_data.b"]
    }
  }
}
#- /moved.tf
moved {
  from = terraform_data.a
  to   = terraform_data.b
}

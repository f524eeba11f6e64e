# rename b
resource "terraform_data" "$0a" {
  input = "x"

  provisioner "local-exec" {
    command = "echo ${self.id} ${terraform_data.c.id}"
  }
}

resource "terraform_data" "c" {
  input = "y"
  provisioner "local-exec" {
    when    = destroy
    command = "echo ${self.id}"
  }
  connection {
    host = "h"
  }
}
#- state terraform_data.a
x
#- state terraform_data.c
y
#=
no changes to infrastructure
#- /main.tf
# rename b
resource "terraform_data" "b" {
  input = "x"

  provisioner "local-exec" {
    command = "echo ${self.id} ${terraform_data.c.id}"
  }
}

moved {
  from = terraform_data.a
  to   = terraform_data.b
}

resource "terraform_data" "c" {
  input = "y"
  provisioner "local-exec" {
    when    = destroy
    command = "echo ${self.id}"
  }
  connection {
    host = "h"
  }
}

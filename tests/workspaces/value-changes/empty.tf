locals { repeated = [[
  [1, 2], [1, 1, 2], ["a", "b"], [1, 2, 3]
  ], [
  [1, 1], [1, 2, 3], ["a", "a"], [2, 2, 9]
]] }
resource "terraform_data" "repeated" {
  count = 4
  input = local.repeated[var.v][count.index]
}
resource "lab5_instance" "empty" {
  name   = "b1"
  label  = ["", null][var.v]
  tags   = [{ a = "", b = "x", c = "", d = "s" }, { a = "x", b = "", d = "" }][var.v]
  groups = [["", "a"], ["b"]][var.v]
  metadata {
    owner  = ["", "x"][var.v]
    labels = [{ a = "" }, { a = "x" }][var.v]
  }
}
resource "lab5_instance" "create" {
  count = var.v
  name  = "cr"
  label = ""
  tags  = { a = "" }
}
resource "lab6_server" "s1" {
  name   = "s1"
  region = ["", "x"][var.v]
  tags   = [{ a = "", b = "x", c = "", d = "s" }, { a = "x", b = "", d = "" }][var.v]
  zones  = [["", "a"], ["x", "b"]][var.v]
  groups = [["", "a"], ["b"]][var.v]
}
resource "lab6_server" "s2" {
  name   = "s2"
  region = ["x", ""][var.v]
}
resource "lab6_server" "create" {
  count  = var.v
  name   = "cr"
  region = ""
  tags   = { a = "" }
}
resource "lab6_secret" "n" {
  login = [{ user = "", key = "" }, { user = "x", key = "x" }][var.v]
}
resource "lab6_service" "v" {
  name = "v"
  logging {
    level  = ["", "x"][var.v]
    format = ["x", ""][var.v]
  }
  port {
    number   = 1
    protocol = ["", "x"][var.v]
  }
}
resource "lab6_service" "v2" {
  name = ["", "v"][var.v]
}

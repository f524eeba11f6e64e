locals {
  b = {
    a1 = ["a", 1, 3]
    a2 = [1, 2, 3]
    a3 = [1, 2]
    a4 = ["x", "y", "z"]
    a5 = ["x", { a = 1 }, { b = 2 }]
    a6 = [{ a = 1 }, { b = 2 }, { c = 3 }]
    a7 = ["l1\nl2\nl3", "q"]
    a8 = [true, "s", null]
    a9 = [[1, 2], [3]]
    s1 = "{\"a\":1,\"b\":[1,2]}"
    s2 = "{\"a\":1}"
    s3 = "l1\nl2\nl3"
    s4 = "{\"a\":1}"
    s5 = "one\ntwo"
    s6 = ""
    s7 = null
    s8 = "x"
    s9 = "[]"
    t1 = "[1]"
    t2 = ["[1]", "x"]
  }
  a = {
    a1 = ["a", 2, 4]
    a2 = [2, 3]
    a3 = [3, 4, 5]
    a4 = ["y", "q"]
    a5 = ["y", { a = 2 }, { b = 2 }]
    a6 = [{ c = 3 }, { a = 2 }]
    a7 = ["l1\nl2x\nl3", "r"]
    a8 = [false, 2, "z"]
    a9 = [[1, 3], [4]]
    s1 = "{\"a\":2,\"b\":[1,3]}"
    s2 = "{ \"a\": 1 }"
    s3 = "l1\nlx\nl3"
    s4 = "plain"
    s5 = "single"
    s6 = "x"
    s7 = "x"
    s8 = ""
    s9 = "[1]"
    t1 = "[]"
    t2 = ["[2]", "x"]
  }
}

resource "terraform_data" "all" { input = [local.b, local.a][var.v] }
resource "terraform_data" "list" { input = [tolist(["a", "b"]), tolist(["a", "c"])][var.v] }
resource "terraform_data" "x" {
  count = var.v
  input = "k"
}
resource "terraform_data" "unk" { input = [[1, 2, 3, { "a" : 1 }], [1, try(terraform_data.x[0].output, 0), 2, { a = try(terraform_data.x[0].output, 0) }, try(terraform_data.x[0].output, 0)]][var.v] }
resource "terraform_data" "unk2" { input = [[1, 2, 3, { "a" : 1 }], [try(terraform_data.x[0].output, 0), 1, 2, 3, { a = 2 }]][var.v] }
output "all" { value = [local.b, local.a][var.v] }
output "unk" { value = [[1, 2, 3, { "a" : 1 }], [1, try(terraform_data.x[0].output, 0), 2]][var.v] }

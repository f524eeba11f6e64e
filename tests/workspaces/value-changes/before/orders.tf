locals { orders = [[
  [1, 2, 3], ["a", "b", "c", "d"], ["a", "a", "b"], [1, 2, 3], [{ a = 1 }, { b = 2 }, { c = 3 }], ["a\nb", "c"], [1, 1], ["a", "b", "c", "d", "e"], [["a"], ["b"]], ["a"], [null, "a"]
  ], [
  [2, 1, 3], ["b", "a", "c", "e"], ["a", "b", "b"], [3, 1, 9], [{ c = 3 }, { a = 1 }, { b = 2 }], ["c", "a\nd"], [1, 2], ["b", "c", "d", "e", "a"], [["b"], ["a"]], ["b"], ["a", null]
]] }
resource "terraform_data" "orders" {
  count = 11
  input = local.orders[var.v][count.index]
}
resource "terraform_data" "u" { input = [["a", "b"], [terraform_data.orders[0].output, "a"]][var.v] }
resource "terraform_data" "u2" { input = [["a", "b"], ["b", terraform_data.orders[0].output]][var.v] }
resource "terraform_data" "u3" { input = [["a", "b"], ["b", sensitive("a")]][var.v] }
resource "terraform_data" "u4" { input = [["a", "b"], ["a", sensitive("b")]][var.v] }
resource "terraform_data" "e8_empty" { input = ["", null][var.v] }
resource "terraform_data" "e9_empty" { input = [null, ""][var.v] }
resource "terraform_data" "ea" { input = ["", "x"][var.v] }
resource "terraform_data" "eb" { input = ["x", ""][var.v] }
resource "lab5_instance" "b1" {
  name  = "b1"
  label = ["", null][var.v]
  size  = 1 + var.v
}
resource "lab5_instance" "b2" {
  name  = "b2"
  label = ["", "x"][var.v]
}
resource "lab5_instance" "b3" {
  name  = "b3"
  label = ["x", ""][var.v]
}
resource "lab5_instance" "b4" {
  name  = "b4"
  label = [null, ""][var.v]
  size  = 1 + var.v
}
resource "lab6_secret" "e1" {
  name = ["", null][var.v]
}
resource "lab6_secret" "e2" {
  name = [null, ""][var.v]
}
resource "lab6_secret" "e3" {
  name = ["x", ""][var.v]
}
resource "lab6_secret" "e4" {
  name = ["", "x"][var.v]
}
resource "lab6_secret" "e5" {
  password = ["", "x"][var.v]
}
resource "lab6_secret" "e6" {
  password = ["", sensitive("x")][var.v]
}
resource "lab6_secret" "e7" {
  name = ["", sensitive("x")][var.v]
}

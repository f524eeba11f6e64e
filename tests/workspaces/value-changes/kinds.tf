resource "terraform_data" "shift" { input = [["a", "b", "c"], ["b", "c", "d"]][var.v] }
resource "terraform_data" "swap" { input = [["a", "b"], ["b", "a"]][var.v] }
resource "terraform_data" "swap3" { input = [["a", "b", "c", "d"], ["a", "c", "b", "e"]][var.v] }
resource "lab6_server" "z1" {
  name  = "z1"
  zones = [["a", "b"], ["a", "c"]][var.v]
}
resource "lab6_server" "z2" {
  name  = "z2"
  zones = [["a", "b", "c"], ["b", "c", "d"]][var.v]
}
resource "lab6_server" "z3" {
  name   = "z3"
  zones  = [["a\nb", "b\nd", "c"], ["a\nx", "b", "c"]][var.v]
  groups = ["a\nb"]
  tags   = [{ a = "x\ny\n", b = "{\"q\":1}", "c d" = "l" }, { a = "x\nz", b = "{\"q\":2}", "c d" = "l" }][var.v]
}
resource "lab6_server" "tagnoop" {
  name = "z4"
  size = 1 + var.v
  tags = { a = "x\ny\n", b = "{\"q\":1}", "c d" = "l\"$\\ é\u0001" }
}
resource "lab6_secret" "gone" {
  count      = 1 - var.v
  name       = "g"
  write_only = "MARKER-SECRET-wo"
  login      = { user = "user", key = "MARKER-SECRET-login-key" }
}
resource "lab6_secret" "new" {
  count            = var.v
  name             = "g"
  write_only       = "MARKER-SECRET-wo"
  write_only_count = 2
  login            = { user = "user", key = "MARKER-SECRET-login-key" }
}
resource "lab6_secret" "upd" {
  name             = ["g", "h"][var.v]
  write_only       = "MARKER-SECRET-wo"
  write_only_count = 2
  login            = [{ user = "user", key = "MARKER-SECRET-login-key" }, null][var.v]
  pin              = "a"
}
resource "lab6_secret" "repl" {
  write_only       = "MARKER-SECRET-wo"
  write_only_count = 2
  pin              = ["a", "b"][var.v]
}
resource "lab5_instance" "b" {
  name = "b"
  size = [2, 1][var.v]
  dynamic "disk" {
    for_each = [[1, 2], [2, 3]][var.v]
    content {
      kind = "ssd"
      size = disk.value
    }
  }
  dynamic "network" {
    for_each = [["10.0.0.0/24", "10.0.1.0/24"], ["10.0.2.0/24", "10.0.1.0/24"]][var.v]
    content {
      subnet = network.value
    }
  }
}
resource "lab6_service" "s" {
  name = "s"
  dynamic "port" {
    for_each = [[1, 2], [2, 3]][var.v]
    content {
      number = port.value
    }
  }
}
resource "lab6_document" "d" { content = [{ a = "x" }, ["q"]][var.v] }
resource "terraform_data" "e1" { input = [{}, { a = 1 }][var.v] }
resource "terraform_data" "e2" { input = [[], [1]][var.v] }
resource "terraform_data" "e3" { input = [{ a = 1 }, {}][var.v] }
resource "terraform_data" "e4" { input = [{ a = [] }, null][var.v] }
resource "terraform_data" "e5" { input = [sensitive("a"), "b"][var.v] }
resource "terraform_data" "e6" { input = [{ a = sensitive("a"), b = sensitive("x"), c = "x", d = [1] }, { a = "a", b = "z", c = sensitive("x"), d = sensitive([2]) }][var.v] }
resource "terraform_data" "e7" { input = [{ id = 1, name = "a", tags = [1, 2, 3], x = 1, y = 2 }, { id = 1, name = "a", tags = [1, 2, 3], x = 1, y = 3 }][var.v] }
resource "terraform_data" "e8" { input = ["", null][var.v] }
resource "terraform_data" "e9" { input = [null, ""][var.v] }
output "null" { value = [null, 1][var.v] }
output "multi" { value = ["a\nb", "a\nc"][var.v] }
output "sens" {
  sensitive = true
  value     = ["a\nb", "a\nc"][var.v]
}
output "a-b" { value = 1 + var.v }

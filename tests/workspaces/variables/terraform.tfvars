name     = "overridden"
nullable = null
zones    = ["a", "b", "a"]
server = {
  name = "one"
  disk = { kind = "ssd" }
  tags = { n = 1, t = true }
}

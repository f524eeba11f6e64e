name   = "before"
server = { name = "one" }
zones  = ["b", "a"]

name = "after"
size = "2"

name = "api"

variable "defaults" {
  type = object({
    size = number
  })
  default = {
    size  = 1
    sizes = [1]
  }
}
module "app" {
  source = "./modules/app"
  settings = {
    image   = "nginx"
    replica = var.defaults.size
    ports = [
      { number = 80 },
      { number = 443, secure = true },
    ]
  }
}

module "login" {
  source   = "./modules/login"
  user     = "otto"
  password = "password-1"
}

resource "terraform_data" "uses" {
  input = {
    login = module.login.login
    user  = module.login.user
    other = module.login.secret_by_itself
    leaks = module.login.leaks
  }
}

output "user" {
  value = module.login.user
}

module "login" {
  source   = "./modules/login"
  user     = "anna"
  password = "password-2"
}

resource "terraform_data" "uses" {
  input = {
    login = module.login.login
    user  = module.login.user
    other = module.login.secret_by_itself
    leaks = module.login.leaks
  }
}

output "login" {
  value     = module.login.login
  sensitive = true
}

output "user" {
  value = module.login.user
}

moved {
  from = terraform_data.gone
  to   = terraform_data.nowhere
}

moved {
  from = terraform_data.list
  to   = terraform_data.shorter
}

moved {
  from = module.part
  to   = module.nowhere
}

resource "terraform_data" "shorter" {
  count = 1
  input = count.index
}

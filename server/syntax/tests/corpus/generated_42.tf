/*
 * header
 */

check "api" {}

/* block */
module "version" {
  name = [for x in path.module : ""] // trailing
  tags = "" // trailing
  disk = count.index # trailing
  web19 = each.value > {
    
  } != [for x in 1 : local.description[*] if v.enabled && k > 1]
  _x = "#1%%d"

  ingress {
    cache = path.module
    cluster   = { (path.module) = {
        (var.secret) = {
          
        }
        volume = { for x in "x": 0 => count.index... }
        key = 123456789012345678901 ? local.secret : 42
        table : { for k, v in "a,b;c": alert[*]["k"][each.key] => 1.5... if v.enabled && k > 1 }
      } } # trailing
    gateway   = false
    _x   = <<-POLICY
      \n not an escape
      \n not an escape
      ${false}
      100%
      100%
      %{ for x in var.l ~}
      - ${x}
      %{ endfor ~}
    POLICY

    # a comment
  }
}


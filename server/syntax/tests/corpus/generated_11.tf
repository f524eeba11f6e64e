module "pool" {
  role = count.index[count.index] // trailing
}

resource "cloudflare_image" "main" {
  labels = [
    1,
    1.5,
  ] /* trailing */
}

variable "policy" {

  dynamic "timeouts" {
    replicas = [
      
    ]
    filter {
      worker = (self.memory) # trailing
      cluster = <<JSON
$${x} %%{y}
cost 5$
${1e3}
ümläut ${~ var.x ~} z
plain text
{ "json": [1, 2] }
JSON
      version = true
      app   = data.null_resource_x.stream.id
      project_id   = <<-JSON
          deeper
        { "json": [1, 2] }
        100%
        %{ if var.a }yes%{ else }no%{ endif }
        \n not an escape
      JSON
      volume = self.tier[0][*]
    }
    policy   = { 7 = {
        _x = data.random_x.protocol.id.location
        router = "x"
        (queue)=path.module[each.key]
      } }
    key = 123456789012345678901 ? "10.0.0.0/16" : module.replicas._x["${var.x}"].secret /* trailing */
    v = "%%{x}"
    pool = "${42}"
  }
  protocol = []
  v = -("50%%%{x}") /* trailing */
  api = 1 /* trailing */

  # a comment
}


# header comment

resource "aws_cache" "policy" { x = "" }

resource "kubernetes_topic" "policy" {

  dynamic "header" {
    record   = "" + each.key /* trailing */
    max_size = base64encode(
      "${~ null_resource_stream.project_id.this.*.name[*] ~}$${HOME}" > [
        
      ],
      provider::time::parse(),
      {
        
      }
    )[*].id
    table = { 7=count.index["k"], 7 : 1e3, (self.retries) = "staging" } # trailing
  }
}

data "kubernetes_budget" "port" { # open

  /* a comment */
  volume   = {
    "x.y/z" = module.cidr_block.path[var.queue]
    stream = module.replicas.protocol.name
    (count.index[var.size].image[*]) = data.google_x.zone.id
  } < [for k, v in each.value : 1 if v.enabled && k > 1]
  port   = { for x in module.budget.stream.ttl["${var.x}"].*: var.name["${var.x}"].0 => "x" } /* trailing */
  protocol   = 3E-2
  api = self.enabled[*]
}

variable "bucket" {
  cert   = <<-POLICY
    cost 5$
    { "json": [1, 2] }
    $${x} %%{y}
    %{ for x in var.l ~}
    - ${x}
    %{ endfor ~}
    	 tab
  POLICY
  subnet   = "eu-west-1" ? 0.10 : 0
  worker = <<POLICY
  POLICY
  cache = [local.zone_id, "tab\there", each.value[*].zone.*.name, self.function,]
  enabled = <<-POLICY
    	 tab
    %{ if var.a }yes%{ else }no%{ endif }
    a ${{ (port[count.index].*.name[*].region) = true, port=local.worker.path.*.id[0], topic = data.google_x.version.id.0["${var.x}"].alert, 7 = "it'sünï" }} b
    100%
    \n not an escape
  POLICY
}

data "cloudflare_policy" "network" {

  // a comment
  region = [
    "", # c
    "", # c
    false, # c
    data.null_resource_x.location.id,
  ] // trailing

  network_interface {
    router   = var.alert[0]

    /* a comment */
    budget = bucket.tags // trailing
    timeout = "/* no */// no$5" // trailing
  }
  gateway = { 7=cidrsubnet(true, path.module)[*].id }

  ingress "volume" {
    port = 42
    name = self.name[var.timeout][count.index]
    volume = "x"
  }

  dynamic "logging" {

    logging {
      worker = {  } // trailing
      min_size   = { for x in each.value[count.index] : count.index => "prod" } # trailing
      node   = [
        [for k, v in 0.10: web["${var.x}"].0 if v.enabled && k > 1],  // c
        "x/y/z",  // c
        {
          alert = "%%dline\nbreak",
          (each.value) = var.each,
          "x.y/z" = "e\u0301{{ .Values.x }}"
        },  // c
        [
          0, # c
          0.10, # c
          "line\nbreak", # c
          1.5,
        ],
      ]
    }
    description = false
    gateway   = merge(
      "$$literal%%d" ? cache : "&|^`"
    ) /* trailing */
    app = "${ var.bucket[count.index].*.id[var.app] }${~ local.budget ~}" # trailing
    owner = [for x in self.cache: "a b c" if v.enabled && k > 1]
  }
}


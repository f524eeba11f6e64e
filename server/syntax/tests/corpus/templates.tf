// Quoted templates.
locals {
  wrap_object  = "${var.object}"
  wrap_spaces  = "${ var.x }"
  wrap_trim    = "${~ var.x ~}"
  space_before = " ${~ var.x }"
  space_after  = "${ var.x ~} "
  trims        = "a  ${~ var.x ~}  b"
  trims_tabs   = "a\t\n ${~ var.x ~} \n\tb"
  two          = "${var.a}${var.b}"
  three        = "${var.a}-${var.b}-${var.c}"
  nested       = "a ${"b ${"c ${var.d}"}"}"
  braces       = "${{ a = 1 }.a}"
  brackets     = "${[for x in var.list : "${x}!"][0]}"
  condition    = "${var.on ? "on" : "off"} is the state"
  call         = "${lower("ABC")}/${upper("def")}"
  multi_line   = "${
    var.a
  } and ${join(",",
    var.list
  )}"
  if_only      = "%{ if var.a }yes%{ endif }"
  if_else      = "%{ if var.a }yes%{ else }no%{ endif }"
  if_empty     = "%{ if var.a }%{ else }%{ endif }"
  if_trim      = "x %{~ if var.a ~} yes %{~ else ~} no %{~ endif ~} y"
  if_nested    = "%{ if var.a }%{ if var.b }both%{ else }a%{ endif }%{ else }none%{ endif }"
  if_escapes   = "%{ if var.a }b\n\"q\"%{ endif }"
  for_one      = "%{ for x in var.list }${x},%{ endfor }"
  for_two      = "%{ for k, v in var.map ~} ${k}=${v} %{~ endfor }"
  for_nested   = "%{ for l in var.lists }%{ for x in l }${x}%{ if x > 1 }!%{ endif }%{ endfor };%{ endfor }"
  for_empty    = "%{ for x in [] }%{ endfor }"
  percent      = "100%"
  percents     = "%d%%{x}%s%%"
  dollar       = "5$"
  dollar_name  = "$name $1 $(x) $$name"
  escaped      = "$${a} %%{b} $$${c} %%%{d}"
  tilde        = "~${var.a}~"
  close        = "} ~} {{ }}"
  unicode      = "héllo wörld – “quotes” 日本語 🎉"
  decomposed   = "e\u0301 é"
  raw_decomp   = "é"
  surrogate    = "\U0010FFFF\u0000"
  comment      = "# not // a /* comment */"
  number       = "${1}${2.5}"
  keyword      = "${true}${null}"
}

output "in_labels" {
  value       = { "${var.a}" = "${var.b}", "x-${var.a}" = 1, ("${var.c}") = 2 }
  description = "Don't 'quote' `this`; it is & was | fine ^ here"
}

output "keys" {
  value = var.map["a"]["b c"]["${var.d}"]["$${e}"]["é"]
}

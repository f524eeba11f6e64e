# Every form of expression, one below the other.
locals {
  zero        = 0
  integer     = 42
  decimal     = 1.50
  exponent    = 1e10
  negative    = -3.5e-3
  upper       = 2E+8
  long        = 123456789012345678901234567890.123456789
  yes         = true
  no          = false
  nothing     = null
  text        = "hello"
  empty       = ""
  wrapped     = "${local.text}"
  mixed       = "a ${local.text} b"
  escapes     = "tab\t newline\n return\r quote\" backslash\\ \u00e9 \U0001F600"
  dollars     = "$ $$ $${literal} %% %%{literal} %"
  tuple       = [1, "two", [3], { four = 4 },]
  empty_tuple = []
  object = {
    bare       = 1
    "quoted"   = 2
    (local.a)  = 3
    "${local.b}" : 4, last = 5
    null = 6
    for_each = 7
    1 = 8
    "a.b" = 9
  }
  empty_object = {}
  one_line     = { a = 1, b = 2, "c" : 3 }
  attribute    = var.object.name
  index        = var.list[0]
  key          = var.map["key"]
  computed     = var.map[var.key].name
  legacy       = aws_instance.web.0.id
  splat        = aws_instance.web[*].id
  full         = aws_instance.web[*].tags["Name"][0]
  old_splat    = aws_instance.web.*.id
  old_indexed  = aws_instance.web.*.id[0]
  old_numbered = aws_instance.web.*.disk.0.size
  nested       = var.groups[*].members[*].name
  keys         = var.map[true][null]
  call         = merge(var.a, var.b)
  no_args      = timestamp()
  expanded     = concat(var.lists...)
  trailing     = max(1, 2, 3,)
  namespaced   = provider::time::rfc3339_parse("2023-07-25T23:43:16Z")
  chained      = element(split(",", var.csv), 1).name[0]
  list_for     = [for x in var.list : upper(x)]
  filtered     = [for i, x in var.list : "${i}=${x}" if x != "" && i > 0]
  map_for      = { for k, v in var.map : k => v }
  grouped      = { for p in var.people : p.role => p.name... if p.active }
  conditional  = var.enabled ? "on" : "off"
  nested_if    = var.a ? 1 : var.b ? 2 : 3
  arithmetic   = 1 + 2 * 3 - 4 / 5 % 6
  comparison   = 1 < 2 == true != (3 >= 4)
  logic        = !var.a && var.b || !(var.c && -1 < 0)
  unary        = !!true
  minus        = - -1
  parens       = ((1 + 2) * (3))
  parens_dot   = (var.object).name
  string_index = "abc"[0]
}

output "multi_line" {
  value = (
    var.a
    &&
    var.b
    ? [
      1, 2,
      3
    ]
    : [for x
      in var.list
      :
      x
    ]
  )
}

output "calls" {
  value = merge(
    # the first
    { a = 1 },
    {
      b = 2 // the second
      c = /* inside */ 3
    }, /* and the rest */ var.rest...
  )
}

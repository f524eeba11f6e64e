locals {
  precedence_1 = 1 + 2 * 3
  precedence_2 = (1 + 2) * 3
  precedence_3 = 1 - 2 - 3
  precedence_4 = 1 - (2 - 3)
  precedence_5 = 8 / 4 / 2 * 3 % 2
  precedence_6 = a || b && c == d != e < f + g * -h
  precedence_7 = -h * g + f < e != d == c && b || a
  precedence_8 = !a == b && !c.d || !e[0]
  precedence_9 = a ? b || c : d && e ? f : g
  long = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 - 11 - 12 - 13 * 14 * 15 / 16 / 17 % 18 % 19
  or_chain = (
    var.a == 1 ||
    var.b == 2 ||
    var.c == 3 || var.d == 4 ||
    (var.e == 5 && var.f == 6) ||
    !var.g
  )
  unary_chain   = !!!!a
  minus_chain   = ----1
  minus_access  = -a.b[0].c
  not_call      = !f(x).y
  negative_call = -abs(-1)
  less_minus    = a<-1
  star_minus    = a*-b
  question      = a?b:c
  question_dots = a.b?c.d:e.f
  colon_object  = { a : b ? c : d, e : f }
  equal_object  = { a = b == c, d = e != f }
  arrow         = { for k in a : k => k >= 1 }
  arrow_cond    = { for k in a : k ? 1 : 2 => k if k <= 1 }
  string_ops    = "a" == "b" || "c" != "d"
  null_ops      = a == null ? null : a
  tuple_ops     = [1 + 1, 2 * 2][0 + 0] + [3][0]
  object_ops    = { a = 1 }.a + { b = 2 }["b"]
}

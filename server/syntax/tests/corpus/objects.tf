locals {
  a = { a = 1 }
  b = { a = 1, b = 2, }
  c = {
    a = 1,
    b = 2,
  }
  d = {
    a = 1
    b = 2, c = 3
    d = 4
  }
  e = { a : 1, "b" : 2, (c) : 3, 4 : 5, true : 6, null : 7 }
  f = {
    a = {
      b = {
        c = { d = { e = {} } }
      }
    }
  }
  g = {
    "a.b/c-d" = 1
    a.b.c     = 2
    a[0]      = 3
    f(x)      = 4
    -1        = 5
    a + b     = 6
    !c        = 7
    "${d}"    = 8
    "x${d}"   = 9
    (e)       = 10
    (e).f     = 11
    [1]       = 12
    {}        = 13
  }
  h = {
    a = 1 # comment
    b = 2 // comment
    /* c */ c = 3
    d = [
      1
    ]
    e = f(
      1
    )
    g = <<-EOT
      text
    EOT
    h = "last"
  }
  i = { for_each = 1, forx = 2, "for" = 3, (for) = 4 }
  j = { if = 1, in = 2, else = 3 }
  k = {
    for k, v in x :
    k => {
      a = v
    }
    if v != null
  }
  l = { for
    k in x : k
    => k }
  m = {
    a = 1, a = 2
    a = 3
  }
  n = [{ a = 1 }, { a = 2 }, {
    a = 3
  }]
  o = { a = b ? c : d, e = f ? { g = 1 } : { g = 2 } }
  p = { a = [for x in y : { x = x }] }
}

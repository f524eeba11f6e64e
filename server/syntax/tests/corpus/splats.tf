locals {
  s01 = a[*]
  s02 = a.*
  s03 = a[*].b
  s04 = a.*.b
  s05 = a[*].b.c[0]
  s06 = a.*.b.c[0]
  s07 = a[*][0]
  s08 = a.*[0]
  s09 = a[*].b[*].c
  s10 = a.*.b[*].c
  s11 = a[*][*]
  s12 = a[*].b["k"].c
  s13 = a[*].b[c].d
  s14 = a[*].b[c][d].e[f]
  s15 = a.b[*].c + d.e[*].f
  s16 = f(a)[*].b
  s17 = [a, b][*].c
  s18 = { a = 1 }[*]
  s19 = "x"[*]
  s20 = (a)[*].b
  s21 = a[0][*].b[1]
  s22 = a["x"].*.b
  s23 = a.0.*.b
  s24 = a.*.0
  s25 = a.*.b.0.c.1
  s26 = a[*].0
  s27 = a[*].b.0.c
  s28 = a[b[*].c].d
  s29 = length(a[*].b) > 0 ? a[*].b : []
  s30 = [for x in a[*].b : x[*]]
  i01 = a[b]
  i02 = a[b.c]
  i03 = a[b[c[d]]]
  i04 = a[1 + 1]
  i05 = a[-1]
  i06 = a["b"]
  i07 = a["b${c}"]
  i08 = a["${c}"]
  i09 = a[(0)]
  i10 = a[f(x)]
  i11 = a[b ? c : d]
  i12 = a[0].b["c"].d[e].f
  i13 = a[ 0 ] [ "b" ] .c
  i14 = a[
    0
  ]
  i15 = a . b . c
  i16 = a[1.5]
  i17 = a[1e2]
  i18 = a[<<EOT
x
EOT
  ]
  l01 = a.0
  l02 = a.0.b
  l03 = a.b.0.c.12.d
  l04 = a.0[1]
  l05 = a[0].1
}

locals {
  f01 = f()
  f02 = f(1)
  f03 = f(1, 2)
  f04 = f(1, 2,)
  f05 = f(1, 2...)
  f06 = f(a...)
  f07 = f([1, 2]...)
  f08 = f(g(h(i(j()))))
  f09 = f(a).b
  f10 = f(a)[0]
  f11 = f(a)[*].b
  f12 = f(a) + g(b)
  f13 = -f(a)
  f14 = !f(a)
  f15 = f(a ? b : c, d)
  f16 = f({ a = 1 }, [2], "3", <<-EOT
    4
  EOT
  )
  f17 = f(
    a,
    b
  )
  f18 = f(
    # comment
    a, # comment
    /* comment */
  )
  f19 = provider::a::b()
  f20 = a::b(c::d(1), e::f::g(2...)).h[0]
  f21 = core::max(1, 2)
  f22 = f(for)
  f23 = f([for x in a : x]...)
  f24 = templatefile("${path.module}/x.tftpl", { a = var.a, b = [for x in var.b : x.c] })
  f25 = lookup(lookup(var.m, "a", {}), "b", null)
  f26 = true ? f(1) : g(2)
  f27 = format("%s-%d-%%", var.a, 1)
  f28 = regex("^(?:(?P<scheme>[^:/?#]+):)?(?://(?P<authority>[^/?#]*))?", var.url)["scheme"]
  f29 = replace(var.s, "/[^\\w]+/", "-")
  f30 = can(var.a.b.c) && !try(tobool(var.d), false)
  f31 = sum([for s in values(aws_subnet.this)[*].available_ip_address_count : s if s > 0])
  f32 = a :: b (1)
}

output "f" {
  value = zipmap(
    [for k in keys(var.a) : lower(k)],
    [
      for v in values(var.a) : merge(
        v,
        { x = 1 },
        v.enabled ? {
          y = 2
        } : {},
      )
    ],
  )
}

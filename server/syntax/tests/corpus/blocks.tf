empty {}
empty_line {
}
one_line { a = 1 }
one_spaced   {   a   =   1   }
labels a b c {}
quoted "a" "b" "c" {}
mixed a "b" c "d-e" { x = [1, 2] }
odd "é" "a b" "$x" "%" "$${y}" "a\nb" "" {}
dash-ed under_score _x x1 {}
for "in" if { in = 1 }
null {}
true false { true = false }

a "b" {
  c "d" {
    e "f" {
      g = 1
      h { i = 2 }
      j {}
    }

    k = 2
  }
  l {
  }
}

multi_value { a = [
  1,
  2
] }
multi_object { a = {
  b = 1
} }
multi_call { a = f(
  1
) }

attr = 1
attr2= 2
attr3 =3
attr4=4
	tabbed	=	5
  indented = 6
a-b-c = 7
_ = 8
é = 9
日本 = 10
if = var.if
for = [a.for]
in = in
locals = locals.locals

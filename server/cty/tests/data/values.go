// Writes values.tsv: what the reference implementation answers for operations on random values.
//
//	go mod init values && go get github.com/zclconf/go-cty@v1.18.1 && go mod tidy && go run values.go > values.tsv
//
// Columns: operation, operands as Go source, result as Go source (or an error after "!").
package main

import (
	"encoding/hex"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

var random = rand.New(rand.NewSource(7))

func pick[T any](options ...T) T { return options[random.Intn(len(options))] }

func randomType(depth int, dynamic bool) cty.Type {
	n := 9
	if depth == 0 {
		n = 4
	}
	switch random.Intn(n) {
	case 0, 1:
		return cty.String
	case 2:
		return pick(cty.Number, cty.Bool)
	case 3:
		if dynamic && random.Intn(2) == 0 {
			return cty.DynamicPseudoType
		}
		return cty.Number
	case 4:
		return cty.List(randomType(depth-1, dynamic))
	case 5:
		return cty.Set(randomType(depth-1, dynamic))
	case 6:
		return cty.Map(randomType(depth-1, dynamic))
	case 7:
		attrs := map[string]cty.Type{}
		for _, name := range []string{"a", "b", "c"}[:random.Intn(4)] {
			attrs[name] = randomType(depth-1, dynamic)
		}
		if dynamic && len(attrs) > 0 && random.Intn(2) == 0 {
			return cty.ObjectWithOptionalAttrs(attrs, []string{[]string{"a", "b", "c"}[len(attrs)-1]})
		}
		return cty.Object(attrs)
	default:
		elems := make([]cty.Type, random.Intn(3))
		for i := range elems {
			elems[i] = randomType(depth-1, dynamic)
		}
		return cty.Tuple(elems)
	}
}

// A type near to the given one, so that conversions between them often exist.
func mutate(ty cty.Type) cty.Type {
	if random.Intn(6) == 0 {
		return pick(cty.String, cty.DynamicPseudoType, cty.Number, cty.Bool)
	}
	switch {
	case ty.IsListType() || ty.IsSetType():
		e := mutate(ty.ElementType())
		return pick(cty.List(e), cty.Set(e))
	case ty.IsMapType():
		e := mutate(ty.ElementType())
		return pick(cty.Map(e), cty.Map(e), cty.ObjectWithOptionalAttrs(map[string]cty.Type{"a": e, "b": cty.String}, []string{"b"}))
	case ty.IsTupleType():
		elems := ty.TupleElementTypes()
		if len(elems) > 0 && random.Intn(2) == 0 {
			e := pick(cty.DynamicPseudoType, mutate(elems[0]))
			return pick(cty.List(e), cty.Set(e))
		}
		out := make([]cty.Type, len(elems))
		for i := range out {
			out[i] = mutate(elems[i])
		}
		return cty.Tuple(out)
	case ty.IsObjectType():
		attrs := ty.AttributeTypes()
		if len(attrs) > 0 && random.Intn(2) == 0 {
			return cty.Map(pick(cty.DynamicPseudoType, cty.String, mutate(attrs["a"])))
		}
		out := map[string]cty.Type{}
		for name, aty := range attrs {
			out[name] = mutate(aty)
		}
		if random.Intn(3) == 0 {
			out["d"] = cty.String
			return cty.ObjectWithOptionalAttrs(out, []string{"d"})
		}
		return cty.Object(out)
	default:
		return ty
	}
}

// The type that a value has where the constraint leaves it open.
func settle(ty cty.Type) cty.Type {
	switch {
	case ty == cty.DynamicPseudoType:
		return cty.String
	case ty.IsListType():
		return cty.List(settle(ty.ElementType()))
	case ty.IsSetType():
		return cty.Set(settle(ty.ElementType()))
	case ty.IsMapType():
		return cty.Map(settle(ty.ElementType()))
	case ty.IsTupleType():
		out := []cty.Type{}
		for _, ety := range ty.TupleElementTypes() {
			out = append(out, settle(ety))
		}
		return cty.Tuple(out)
	case ty.IsObjectType():
		out := map[string]cty.Type{}
		for name, aty := range ty.AttributeTypes() {
			out[name] = settle(aty)
		}
		return cty.Object(out)
	default:
		return ty
	}
}

func unknown(ty cty.Type) cty.Value {
	v := cty.UnknownVal(ty)
	if ty == cty.DynamicPseudoType {
		return v
	}
	b := v.Refine()
	if random.Intn(2) == 0 {
		b = b.NotNull()
	}
	switch {
	case ty == cty.String && random.Intn(2) == 0:
		b = b.StringPrefixFull(pick("a", "ab", "x-"))
	case ty == cty.Number && random.Intn(2) == 0:
		n := int64(random.Intn(4))
		b = b.NumberRangeLowerBound(cty.NumberIntVal(n), random.Intn(2) == 0)
		if random.Intn(2) == 0 {
			b = b.NumberRangeUpperBound(cty.NumberIntVal(n+int64(random.Intn(3))+1), random.Intn(2) == 0)
		}
	case ty.IsCollectionType() && random.Intn(2) == 0:
		n := random.Intn(3)
		b = b.CollectionLengthLowerBound(n)
		if random.Intn(2) == 0 {
			b = b.CollectionLengthUpperBound(n + random.Intn(3))
		}
	}
	return b.NewValue()
}

// How much of a value is other than known.
type mood struct{ unknown, null, marked int }

func (m mood) value(ty cty.Type) cty.Value {
	v := m.bare(ty)
	if m.marked > 0 && random.Intn(m.marked) == 0 {
		v = v.Mark(pick("m", "n"))
	}
	return v
}

func (m mood) bare(ty cty.Type) cty.Value {
	if m.unknown > 0 && random.Intn(m.unknown) == 0 {
		return unknown(ty)
	}
	if m.null > 0 && random.Intn(m.null) == 0 {
		return cty.NullVal(ty.WithoutOptionalAttributesDeep())
	}
	var elems []cty.Value
	if ty.IsCollectionType() {
		elems = make([]cty.Value, random.Intn(4))
		ety := ty.ElementType()
		for i := range elems {
			elems[i] = m.value(ety)
		}
	}
	switch {
	case ty == cty.String:
		return cty.StringVal(pick("", "a", "ab", "b", "abc", "1", "10", "true", "x-y", "é", "\"\n<&>", "\u2028", "e\u0301"))
	case ty == cty.Bool:
		return cty.BoolVal(random.Intn(2) == 0)
	case ty == cty.Number:
		return pick(cty.NumberIntVal(int64(random.Intn(4))), cty.NumberIntVal(int64(random.Intn(400)-100)),
			cty.MustParseNumberVal(pick("0.5", "-1.25", "1e21", "123456789012345678901", "0.1", "1000000007")))
	case ty == cty.DynamicPseudoType:
		return m.value(randomType(1, false))
	case ty.IsListType() && len(elems) == 0:
		return cty.ListValEmpty(ty.ElementType())
	case ty.IsListType():
		return cty.ListVal(elems)
	case ty.IsSetType() && len(elems) == 0:
		return cty.SetValEmpty(ty.ElementType())
	case ty.IsSetType():
		return cty.SetVal(elems)
	case ty.IsMapType() && len(elems) == 0:
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsMapType():
		entries := map[string]cty.Value{}
		for i, elem := range elems {
			entries[pick("a", "b", "k", "ü")+strings.Repeat("x", i)] = elem
		}
		return cty.MapVal(entries)
	case ty.IsObjectType():
		attrs := map[string]cty.Value{}
		for name, aty := range ty.AttributeTypes() {
			attrs[name] = m.value(aty)
		}
		return cty.ObjectVal(attrs)
	default:
		out := []cty.Value{}
		for _, ety := range ty.TupleElementTypes() {
			out = append(out, m.value(ety))
		}
		return cty.TupleVal(out)
	}
}

func source(v any) string { return strings.ReplaceAll(fmt.Sprintf("%#v", v), "\t", `\t`) }

// An answer that is the same each time it is asked: Go's maps make some errors random.
func row(op string, operands string, ask func() string) {
	defer func() { recover() }()
	answer := ask()
	for i := 0; i < 64; i++ {
		if ask() != answer {
			return
		}
	}
	if len(operands)+len(answer) < 700 {
		fmt.Printf("%s\t%s\t%s\n", op, operands, answer)
	}
}

func result(v cty.Value, err error) string {
	if err != nil {
		return "!" + err.Error()
	}
	return source(v)
}

func main() {
	count := 400
	if len(os.Args) > 1 {
		count, _ = strconv.Atoi(os.Args[1])
	}
	moods := []mood{{}, {6, 6, 0}, {4, 0, 0}, {0, 5, 5}, {8, 8, 8}}
	for i := 0; i < count; i++ {
		m := pick(moods...)
		ty := randomType(2, false)
		a := m.value(ty)
		b := m.value(pick(ty, ty, ty, settle(mutate(ty))))
		want := pick(mutate(ty), mutate(ty), randomType(2, true))
		row("equals", source(a)+"\t"+source(b), func() string { return source(a.Equals(b)) })
		row("convert", source(a)+"\t"+source(want), func() string { return result(convert.Convert(a, want)) })
		types := []cty.Type{ty, mutate(ty).WithoutOptionalAttributesDeep(), mutate(ty).WithoutOptionalAttributesDeep()}[:1+random.Intn(3)]
		row("unify", source(types), func() string {
			got, _ := convert.Unify(types)
			return source(got)
		})
		row("unify unsafe", source(types), func() string {
			got, _ := convert.UnifyUnsafe(types)
			return source(got)
		})
		row("conforms", source(a.Type())+"\t"+source(want), func() string {
			return strconv.FormatBool(len(a.Type().TestConformance(want)) == 0)
		})
		row("hash", source(a), func() string {
			plain, _ := a.UnmarkDeep()
			return strconv.Itoa(plain.Hash())
		})
		row("unmark deep", source(a), func() string {
			plain, _ := a.UnmarkDeep()
			return source(plain)
		})
		row("unknown as null", source(a), func() string { return source(cty.UnknownAsNull(a)) })
		row("length", source(a), func() string { return source(a.Length()) })
		set := []cty.Value{a, m.value(a.Type()), m.value(a.Type()), a}
		row("set", source(set), func() string {
			s, _ := cty.SetVal(set).Unmark()
			return source(s.AsValueSlice())
		})
		plain, _ := a.UnmarkDeep()
		row("msgpack", source(plain)+"\t"+source(ty), func() string {
			b, err := msgpack.Marshal(plain, ty)
			if err != nil {
				return "!" + err.Error()
			}
			return hex.EncodeToString(b)
		})
		row("msgpack dynamic", source(plain), func() string {
			b, err := msgpack.Marshal(plain, cty.DynamicPseudoType)
			if err != nil {
				return "!" + err.Error()
			}
			return hex.EncodeToString(b)
		})
		row("json", source(a), func() string {
			b, err := json.Marshal(a, a.Type())
			if err != nil {
				return "!" + err.Error()
			}
			return string(b)
		})
		x, y := mood{3, 0, 9}.value(cty.Number), mood{3, 0, 9}.value(cty.Number)
		pair := source(x) + "\t" + source(y)
		for _, op := range []struct {
			name string
			ask  func(cty.Value, cty.Value) cty.Value
		}{
			{"add", cty.Value.Add}, {"sub", cty.Value.Subtract}, {"mul", cty.Value.Multiply}, {"lt", cty.Value.LessThan},
			{"gt", cty.Value.GreaterThan}, {"le", cty.Value.LessThanOrEqualTo}, {"ge", cty.Value.GreaterThanOrEqualTo},
		} {
			// The reference knows that zero times unknown is zero only of its own constant.
			isZero := func(v cty.Value) bool { u, _ := v.Unmark(); return u.IsKnown() && u.Equals(cty.Zero).True() }
			if i%4 == 0 && !(op.name == "mul" && (isZero(x) || isZero(y))) {
				row(op.name, pair, func() string { return source(op.ask(x, y)) })
			}
		}
		prefix := ""
		for range random.Intn(5) {
			prefix += pick("a", "e", "\u0301", "-", "/", " ", "한", "ᄀ", "\U0001f468", "\u200d", "1", "\r", "\n", "🇩", "क", "्", "<", ".")
		}
		row("prefix", source(prefix), func() string {
			return source(cty.UnknownVal(cty.String).Refine().StringPrefix(prefix).NewValue())
		})
	}
}

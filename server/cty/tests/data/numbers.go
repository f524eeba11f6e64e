// Writes numbers.tsv: what the reference implementation answers for arithmetic on random operands.
//
//	go mod init numbers && go get github.com/zclconf/go-cty@v1.16.2 && go run numbers.go > numbers.tsv
//
// An operand is written t:TEXT (512 bits), i:INTEGER (64 bits) or f:FLOAT (53 bits).
// Columns: operation, operands, result, precision of the result (or nothing).
package main

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

var random = rand.New(rand.NewSource(1))

func digits(n int) string {
	var b strings.Builder
	for i := 0; i < n; i++ {
		b.WriteByte(byte('0' + random.Intn(10)))
	}
	return b.String()
}

func operand() string {
	sign := []string{"", "", "-"}[random.Intn(3)]
	switch random.Intn(12) {
	case 0:
		return "i:" + strconv.FormatInt(int64(random.Uint64())>>uint(random.Intn(64)), 10)
	case 1:
		return "f:" + strconv.FormatFloat((random.Float64()-0.5)*math.Pow(10, float64(random.Intn(40)-20)), 'g', -1, 64)
	case 2:
		return "f:" + strconv.FormatFloat(math.Ldexp(1, random.Intn(200)-100), 'g', -1, 64)
	case 3:
		return "t:" + sign + digits(1+random.Intn(200))
	case 4:
		return "t:" + sign + digits(1+random.Intn(60)) + "." + digits(1+random.Intn(180))
	case 5:
		return "t:" + sign + digits(1+random.Intn(20)) + "e" + strconv.Itoa(random.Intn(800)-400)
	case 6:
		return "t:" + sign + "." + digits(1+random.Intn(5))
	case 7:
		return []string{"t:0", "t:-0", "i:0", "f:-0", "t:1", "t:-1", "i:9223372036854775807", "i:-9223372036854775808",
			"f:0.1", "t:0.1", "f:5e-324", "f:1.7976931348623157e308", "t:18446744073709551616", "t:1p70", "t:1e-7"}[random.Intn(15)]
	case 8:
		return "t:" + new(big.Int).Lsh(big.NewInt(1), uint(random.Intn(700))).String()
	case 9:
		return "i:" + strconv.Itoa(random.Intn(200)-100)
	default:
		return "t:" + sign + digits(1+random.Intn(4)) + "." + digits(random.Intn(4))
	}
}

func number(s string) cty.Value {
	switch s[0] {
	case 'i':
		v, _ := strconv.ParseInt(s[2:], 10, 64)
		return cty.NumberIntVal(v)
	case 'f':
		v, _ := strconv.ParseFloat(s[2:], 64)
		return cty.NumberFloatVal(v)
	default:
		return cty.MustParseNumberVal(s[2:])
	}
}

func row(op, a, b, result string, prec uint) {
	fmt.Printf("%s\t%s\t%s\t%s\t%d\n", op, a, b, result, prec)
}

func arithmetic(op, a, b string, f func(a, b cty.Value) cty.Value) {
	defer func() {
		if recover() != nil {
			row(op, a, b, "NaN", 0)
		}
	}()
	r := f(number(a), number(b)).AsBigFloat()
	row(op, a, b, r.Text('f', -1), r.Prec())
}

func main() {
	for i := 0; i < 320; i++ {
		a, b := operand(), operand()
		x, y := number(a).AsBigFloat(), number(b).AsBigFloat()
		row("text", a, "", x.Text('f', -1), x.Prec())
		row("general", a, "", x.String(), 0)
		row("scientific", a, "", x.Text('e', -1), 0)
		row("fixed3", a, "", x.Text('f', 3), 0)
		f, _ := x.Float64()
		row("float", a, "", strconv.FormatUint(math.Float64bits(f), 16), 0)
		row("compare", a, b, strconv.Itoa(x.Cmp(y)), 0)
		row("equal", a, b, strconv.FormatBool(number(a).Equals(number(b)).True()), 0)
		arithmetic("add", a, b, cty.Value.Add)
		arithmetic("sub", a, b, cty.Value.Subtract)
		arithmetic("mul", a, b, cty.Value.Multiply)
		arithmetic("div", a, b, cty.Value.Divide)
		arithmetic("rem", a, b, cty.Value.Modulo)
	}
}

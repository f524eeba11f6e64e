// Command hclsyntax is the oracle of the syntax crate's differential test.
//
// It reads inputs from standard input, each as a kind byte (c: configuration, e: expression, t: template, r: the errors of a configuration), a
// length (32 bits, little endian) and that many bytes. For each input it writes one line: "-" when the
// reference parser reports an error, otherwise the canonical tree, as syntax::dump describes it. With the
// argument "hash" it writes the first 4 bytes of the tree's FNV-1a hash in hexadecimal instead of the tree.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

func main() {
	hashed := len(os.Args) > 1 && os.Args[1] == "hash"
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(in, head); err != nil {
			if errors.Is(err, io.EOF) {
				return
			}
			panic(err)
		}
		src := make([]byte, binary.LittleEndian.Uint32(head[1:]))
		if _, err := io.ReadFull(in, src); err != nil {
			panic(err)
		}
		if head[0] == 'r' {
			fmt.Fprintln(out, reports(src))
			continue
		}
		tree, ok := parse(head[0], src)
		switch {
		case !ok:
			fmt.Fprintln(out, "-")
		case hashed:
			sum := fnv.New64a()
			sum.Write([]byte(tree))
			fmt.Fprintf(out, "%08x\n", uint32(sum.Sum64()>>32))
		default:
			fmt.Fprintln(out, tree)
		}
	}
}

// reports are the errors of a configuration, by their lines.
func reports(src []byte) string {
	_, diags := hclsyntax.ParseConfig(src, "", hcl.InitialPos)
	var reports []string
	for _, diag := range diags {
		reports = append(reports, fmt.Sprintf("%d %s", diag.Subject.Start.Line, diag.Summary))
	}
	sort.Strings(reports)
	return strings.Join(reports, "; ")
}

func parse(kind byte, src []byte) (string, bool) {
	d := &dumper{}
	var diags hcl.Diagnostics
	switch kind {
	case 'c':
		file, fileDiags := hclsyntax.ParseConfig(src, "", hcl.InitialPos)
		if diags = fileDiags; !diags.HasErrors() {
			d.body(file.Body.(*hclsyntax.Body))
		}
	case 'e', 't':
		var expr hclsyntax.Expression
		if kind == 'e' {
			expr, diags = hclsyntax.ParseExpression(src, "", hcl.InitialPos)
		} else {
			expr, diags = hclsyntax.ParseTemplate(src, "", hcl.InitialPos)
		}
		if !diags.HasErrors() {
			d.expr(expr)
		}
	default:
		panic("unknown kind of input")
	}
	return d.out.String(), !diags.HasErrors()
}

type dumper struct {
	out strings.Builder
}

func (d *dumper) add(parts ...string) {
	for _, part := range parts {
		d.out.WriteString(part)
	}
}

func (d *dumper) body(body *hclsyntax.Body) {
	attributes := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, attribute := range body.Attributes {
		attributes = append(attributes, attribute)
	}
	sort.Slice(attributes, func(i, j int) bool {
		return attributes[i].SrcRange.Start.Byte < attributes[j].SrcRange.Start.Byte
	})
	d.add("(body")
	for _, attribute := range attributes {
		d.add(" (attr ", quote(attribute.Name), " ")
		d.expr(attribute.Expr)
		d.add(")")
	}
	for _, block := range body.Blocks {
		d.add(" (block ", quote(block.Type))
		for _, label := range block.Labels {
			d.add(" ", quote(label))
		}
		d.add(" ")
		d.body(block.Body)
		d.add(")")
	}
	d.add(")")
}

func (d *dumper) all(head string, exprs ...hclsyntax.Expression) {
	d.add("(", head)
	for _, expr := range exprs {
		d.add(" ")
		d.expr(expr)
	}
	d.add(")")
}

func (d *dumper) expr(expr hclsyntax.Expression) {
	switch e := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		d.add(literal(e.Val))
	case *hclsyntax.TemplateExpr:
		d.all("template", e.Parts...)
	case *hclsyntax.TemplateWrapExpr:
		d.all("wrap", e.Wrapped)
	case *hclsyntax.TemplateJoinExpr:
		d.all("join", e.Tuple.(hclsyntax.Expression))
	case *hclsyntax.ScopeTraversalExpr:
		d.add("(var ", quote(e.Traversal.RootName()))
		d.steps(e.Traversal[1:])
		d.add(")")
	case *hclsyntax.RelativeTraversalExpr:
		d.add("(rel ")
		d.expr(e.Source)
		d.steps(e.Traversal)
		d.add(")")
	case *hclsyntax.IndexExpr:
		d.all("index", e.Collection, e.Key)
	case *hclsyntax.SplatExpr:
		d.all("splat", e.Source, e.Each)
	case *hclsyntax.AnonSymbolExpr:
		d.add("@")
	case *hclsyntax.FunctionCallExpr:
		d.add("(call ", quote(e.Name))
		for _, arg := range e.Args {
			d.add(" ")
			d.expr(arg)
		}
		if e.ExpandFinal {
			d.add(" ...")
		}
		d.add(")")
	case *hclsyntax.TupleConsExpr:
		d.all("tuple", e.Exprs...)
	case *hclsyntax.ObjectConsExpr:
		d.add("(object")
		for _, item := range e.Items {
			d.add(" (")
			d.key(item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr))
			d.add(" ")
			d.expr(item.ValueExpr)
			d.add(")")
		}
		d.add(")")
	case *hclsyntax.ForExpr:
		d.add("(for ", quote(e.KeyVar), " ", quote(e.ValVar), " ")
		d.expr(e.CollExpr)
		for _, part := range []hclsyntax.Expression{e.KeyExpr, e.ValExpr, e.CondExpr} {
			d.add(" ")
			if part == nil {
				d.add("-")
			} else {
				d.expr(part)
			}
		}
		if e.Group {
			d.add(" ...")
		}
		d.add(")")
	case *hclsyntax.ConditionalExpr:
		d.all("if", e.Condition, e.TrueResult, e.FalseResult)
	case *hclsyntax.BinaryOpExpr:
		d.all(binarySymbols[e.Op], e.LHS, e.RHS)
	case *hclsyntax.UnaryOpExpr:
		if e.Op == hclsyntax.OpNegate {
			d.all("neg", e.Val)
		} else {
			d.all("not", e.Val)
		}
	case *hclsyntax.ParenthesesExpr:
		d.all("parens", e.Expression)
	default:
		panic(fmt.Sprintf("unexpected %T", expr))
	}
}

// key writes a bare name as the string that it stands for.
func (d *dumper) key(key *hclsyntax.ObjectConsKeyExpr) {
	name := hcl.ExprAsKeyword(key.Wrapped)
	if name != "" && !key.ForceNonLiteral {
		d.add(quote(name))
	} else {
		d.expr(key.Wrapped)
	}
}

func (d *dumper) steps(steps hcl.Traversal) {
	for _, step := range steps {
		d.add(" ")
		switch step := step.(type) {
		case hcl.TraverseAttr:
			d.add(".", quote(step.Name))
		case hcl.TraverseIndex:
			d.add(literal(step.Key))
		default:
			panic(fmt.Sprintf("unexpected %T", step))
		}
	}
}

func literal(value cty.Value) string {
	switch {
	case value.IsNull():
		return "null"
	case value.Type() == cty.Bool:
		return fmt.Sprint(value.True())
	case value.Type() == cty.Number:
		return value.AsBigFloat().Text('e', -1)
	default:
		return quote(value.AsString())
	}
}

// quote keeps printable ASCII and writes other bytes in hexadecimal.
func quote(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, b := range []byte(s) {
		switch {
		case b == '"' || b == '\\':
			out.WriteByte('\\')
			out.WriteByte(b)
		case b >= ' ' && b <= '~':
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "\\x%02x", b)
		}
	}
	out.WriteByte('"')
	return out.String()
}

var binarySymbols = map[*hclsyntax.Operation]string{
	hclsyntax.OpLogicalOr:          "||",
	hclsyntax.OpLogicalAnd:         "&&",
	hclsyntax.OpEqual:              "==",
	hclsyntax.OpNotEqual:           "!=",
	hclsyntax.OpGreaterThan:        ">",
	hclsyntax.OpGreaterThanOrEqual: ">=",
	hclsyntax.OpLessThan:           "<",
	hclsyntax.OpLessThanOrEqual:    "<=",
	hclsyntax.OpAdd:                "+",
	hclsyntax.OpSubtract:           "-",
	hclsyntax.OpMultiply:           "*",
	hclsyntax.OpDivide:             "/",
	hclsyntax.OpModulo:             "%",
}

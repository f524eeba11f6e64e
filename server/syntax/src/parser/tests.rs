//! Text in, canonical tree and errors out.

use expect_test::{Expect, expect};
use text::Problem;

use crate::ast::{ExprKind, Item, ObjectKey};
use crate::dump::{dump_expr, dump_file};
use crate::{parse, parse_expression, parse_template, parse_traversal_abs};

fn lines(tree: &str, errors: &[&Problem], text: &str) -> String {
    let mut out = format!("{tree}\n");
    for error in errors {
        let place = &text[error.at];
        out.push_str(&format!("{:?} {place:?}: {}\n", error.at, error.summary));
    }
    out
}

fn check_expression(text: &str, expected: Expect) {
    let parsed = parse_expression(text);
    let errors: Vec<&Problem> = parsed.errors.iter().collect();
    expected.assert_eq(&lines(&dump_expr(&parsed.tree), &errors, text));
}

fn check_template(text: &str, expected: Expect) {
    let parsed = parse_template(text);
    let errors: Vec<&Problem> = parsed.errors.iter().collect();
    expected.assert_eq(&lines(&dump_expr(&parsed.tree), &errors, text));
}

/// Ranges of errors are shown relative to the file.
fn check_file(text: &str, expected: Expect) {
    let file = parse(text);
    let errors: Vec<Problem> = file
        .errors()
        .map(|(id, error)| Problem {
            at: error.at + file.offset_of(id).unwrap(),
            ..error.clone()
        })
        .collect();
    let errors: Vec<&Problem> = errors.iter().collect();
    expected.assert_eq(&lines(&dump_file(file.body()), &errors, text));
}

#[test]
fn operators_bind_as_in_the_reference() {
    check_expression(
        "1 + 2 * 3 == 7 && !a || b ? -c : d % 2",
        expect![[r#"
        (if (|| (&& (== (+ 1e+00 (* 2e+00 3e+00)) 7e+00) (not (var "a"))) (var "b")) (neg (var "c")) (% (var "d") 2e+00))
    "#]],
    );
    check_expression(
        "1 - 2 - 3",
        expect![[r#"
        (- (- 1e+00 2e+00) 3e+00)
    "#]],
    );
}

#[test]
fn static_steps_extend_a_traversal_and_evaluated_ones_do_not() {
    check_expression(
        r#"a.b[0].c["d"].0"#,
        expect![[r#"
        (var "a" ."b" 0e+00 ."c" "d" 0e+00)
    "#]],
    );
    check_expression(
        "a[b].c.d",
        expect![[r#"
        (rel (index (var "a") (var "b")) ."c" ."d")
    "#]],
    );
    check_expression(
        "f(a).b[0]",
        expect![[r#"
        (rel (call "f" (var "a")) ."b" 0e+00)
    "#]],
    );
    check_expression(
        r#"a["${b}"]"#,
        expect![[r#"
        (index (var "a") (wrap (var "b")))
    "#]],
    );
}

#[test]
fn the_two_splats_end_differently() {
    check_expression(
        "a.*.b.c[0].d",
        expect![[r#"
        (rel (splat (var "a") (rel @ ."b" ."c")) 0e+00 ."d")
    "#]],
    );
    check_expression(
        "a[*].b.c[0].d",
        expect![[r#"
        (splat (var "a") (rel @ ."b" ."c" 0e+00 ."d"))
    "#]],
    );
}

#[test]
fn object_keys_are_names_or_expressions() {
    check_expression(
        r#"{ a = 1, (a) = 2, "b" = 3, c.d = 4, null = 5, 6 : 7 }"#,
        expect![[r#"
            (object ("a" 1e+00) ((parens (var "a")) 2e+00) ((template "b") 3e+00) ((var "c" ."d") 4e+00) ("null" 5e+00) (6e+00 7e+00))
        "#]],
    );
    let parsed = parse_expression("{ a = 1, (b) = 2 }").tree;
    let ExprKind::Object(items) = parsed.kind else {
        panic!("no object")
    };
    assert!(matches!(&items[0].key, ObjectKey::Name(name) if name.name == "a"));
    assert!(matches!(&items[1].key, ObjectKey::Expr(_)));
}

#[test]
fn strings_have_their_values() {
    check_expression(
        r#""a\n\t\"\\ \u00e9 \U0001F600 $${b} %%{c} $ %""#,
        expect![[r#"
            (template "a\x0a\x09\"\\ \xc3\xa9 \xf0\x9f\x98\x80 ${b} %{c} $ %")
        "#]],
    );
    check_expression(
        "\"e\u{301}\"",
        expect![[r#"
        (template "\xc3\xa9")
    "#]],
    );
    check_expression(
        r#""\q \u12 \UFFFFFFFF""#,
        expect![[r#"
        (template "q \\u12 \\UFFFFFFFF")
        1..3 "\\q": Invalid escape sequence
        4..8 "\\u12": Invalid escape sequence
        9..19 "\\UFFFFFFFF": Invalid escape sequence
    "#]],
    );
}

#[test]
fn an_interpolation_alone_keeps_its_type() {
    check_expression(
        r#""${a}""#,
        expect![[r#"
        (wrap (var "a"))
    "#]],
    );
    check_expression(
        r#"" ${~ a ~} ""#,
        expect![[r#"
        (template "" (var "a") "")
    "#]],
    );
}

#[test]
fn heredocs_are_dedented_by_their_least_indented_line() {
    check_expression(
        "<<-EOT\n    a\n\n      ${b}\n     c\n  EOT\n",
        expect![[r#"
            (template "a\x0a\x0a  " (var "b") "\x0a c\x0a")
        "#]],
    );
    check_expression(
        "<<-EOT\n  a\n${b}\n  EOT\n",
        expect![[r#"
        (template "  a\x0a" (var "b") "\x0a")
    "#]],
    );
    check_expression(
        "<<EOT\n  a\r\nEOT\r\n",
        expect![[r#"
        (template "  a\x0d\x0a")
    "#]],
    );
}

#[test]
fn directives_make_a_tree() {
    check_template(
        "%{ for k, v in m ~}\n ${k} %{ if v }y%{ else }n%{ endif ~}\n%{ endfor }",
        expect![[r#"
            (template (join (for "k" "v" (var "m") - (template " " (var "k") " " (if (var "v") (template "y") (template "n")) "") -)))
        "#]],
    );
    check_template(
        "%{ if a }b",
        expect![[r#"
        (template (if (var "a") (template "b") (template "")))
        0..9 "%{ if a }": Unexpected end of template
    "#]],
    );
    check_template(
        "%{ fi a }b",
        expect![[r#"
        (template "")
        3..5 "fi": Invalid template control keyword
    "#]],
    );
}

#[test]
fn calls_have_namespaces_and_may_expand_their_last_argument() {
    check_expression(
        "provider::time::parse(a, b...)",
        expect![[r#"
        (call "provider::time::parse" (var "a") (var "b") ...)
    "#]],
    );
    check_expression(
        "a::",
        expect![[r#"
        (error (var "a::"))
        3..3 "": Missing function name
    "#]],
    );
}

#[test]
fn for_expressions_of_both_kinds() {
    check_expression(
        "[for i, x in a : x if i > 0]",
        expect![[r#"
        (for "i" "x" (var "a") - (var "x") (> (var "i") 0e+00))
    "#]],
    );
    check_expression(
        "{ for x in a : x.k => x... }",
        expect![[r#"
        (for "" "x" (var "a") (var "x" ."k") (var "x") - ...)
    "#]],
    );
    check_expression(
        "{ for x in a : x }",
        expect![[r#"
        (for "" "x" (var "a") - (var "x") -)
        15..16 "x": Invalid 'for' expression
    "#]],
    );
}

#[test]
fn numbers_that_are_none() {
    check_expression(
        "1.2.3",
        expect![[r#"
        1.2.3e+00
        0..5 "1.2.3": Invalid number literal
    "#]],
    );
    check_expression(
        "a.0.1",
        expect![[r#"
        (var "a" 1e-01)
        2..5 "0.1": Invalid legacy index syntax
    "#]],
    );
    check_expression(
        "1e9999999999",
        expect![[r#"
        1e+9999999999
        0..12 "1e9999999999": Invalid number literal
    "#]],
    );
}

#[test]
fn wrong_characters_are_explained() {
    check_file(
        "a = b & c\nd = 'e'\n",
        expect![[r#"
        (body (attr "a" (var "b")) (attr "d" (error)))
        6..7 "&": Unsupported operator
        14..15 "'": Invalid character
    "#]],
    );
}

#[test]
fn an_attribute_may_be_set_once() {
    check_file(
        "a = 1\na = 2\nb {\n  c = 1\n  c = 2\n}\n",
        expect![[r#"
        (body (attr "a" 1e+00) (attr "a" 2e+00) (block "b" (body (attr "c" 1e+00))))
        26..27 "c": Attribute redefined
        6..7 "a": Attribute redefined
    "#]],
    );
}

#[test]
fn a_block_on_one_line_holds_one_argument() {
    check_file(
        "a { b = 1 }\na { b = 1, c = 2 }\na { b {} }\n",
        expect![[r#"
            (body (block "a" (body (attr "b" 1e+00))) (block "a" (body (attr "b" 1e+00))) (block "a" (body)))
            21..22 ",": Invalid single-argument block definition
            35..38 "b {": Argument definition required
        "#]],
    );
}

#[test]
fn an_unfinished_reference_keeps_its_parts() {
    check_file(
        "a {\n  b = var.\n  c = 1\n}\n",
        expect![[r#"
        (body (block "a" (body (attr "b" (error (var "var"))) (attr "c" 1e+00))))
        14..15 "\n": Invalid attribute name
    "#]],
    );
    check_file(
        "a {\n  b = [\n  c = 1\n}\n",
        expect![[r#"
            (body (block "a" (body (attr "b" (tuple (error))) (attr "c" 1e+00))))
            11..11 "": Missing expression
        "#]],
    );
    check_file(
        "a {\n  b = { x = var., y = 2\n    z = \n    w = 3 }\n  c = 1\n}\n",
        expect![[r#"
            (body (block "a" (body (attr "b" (object ("x" (error (var "var"))) ("y" 2e+00) ("z" (error)) ("w" 3e+00))) (attr "c" 1e+00))))
            20..21 ",": Invalid attribute name
            36..37 "\n": Invalid expression
        "#]],
    );
    check_file(
        "a {\n  b = \"x-${var.\n  c = 1\n}\n",
        expect![[r#"
        (body (block "a" (body (attr "b" (template "x-" (error (var "var")))) (attr "c" 1e+00))))
        19..19 "": Invalid attribute name
    "#]],
    );
    check_file(
        "a {\n  b = merge(local.\n  c = 1\n}\n",
        expect![[r#"
            (body (block "a" (body (attr "b" (call "merge" (error (var "local")))) (attr "c" 1e+00))))
            22..22 "": Invalid attribute name
        "#]],
    );
    check_file(
        "a {\n  b = cond ? x.\n  c = 1\n}\n",
        expect![[r#"
        (body (block "a" (body (attr "b" (if (var "cond") (error (var "x")) (error))) (attr "c" 1e+00))))
        19..20 "\n": Invalid attribute name
    "#]],
    );
}

#[test]
fn an_unclosed_block_ends_where_the_next_begins() {
    check_file(
        "a \"b\" {\n  c = 1\n\nd \"e\" {\n  f = 2\n}\n",
        expect![[r#"
            (body (block "a" "b" (body (attr "c" 1e+00))) (block "d" "e" (body (attr "f" 2e+00))))
            6..7 "{": Unclosed configuration block
        "#]],
    );
    check_file(
        "a {\n  b {\n    c = 1\n}\nd = 2\n",
        expect![[r#"
        (body (attr "d" 2e+00) (block "a" (body (block "b" (body (attr "c" 1e+00))))))
        8..9 "{": Unclosed configuration block
    "#]],
    );
}

#[test]
fn a_name_alone_is_an_argument_to_be() {
    let file = parse("a {\n  b\n}\n");
    let Some((_, Item::Block(block))) = file.body().items().next() else {
        panic!("no block")
    };
    assert_eq!(block.body.attributes[0].name.name, "b");
    assert_eq!(block.body.attributes[0].equals, None);
}

#[test]
fn nesting_has_a_limit_and_no_depth_overflows_the_stack() {
    let deep = 20_000;
    let texts = [
        format!("{}1{}", "(".repeat(deep), ")".repeat(deep)),
        "(".repeat(deep),
        "[".repeat(deep),
        "{ a = ".repeat(deep),
        "-".repeat(deep),
        "!".repeat(deep),
        "f(".repeat(deep),
        "a[".repeat(deep),
        "a ? ".repeat(deep),
        format!("{}1", "a ? b : ".repeat(deep)),
        "\"${".repeat(deep),
        format!("a{}", "[*]".repeat(deep)),
        format!("a{}", "[b]".repeat(deep)),
        format!("a{}", ".*".repeat(deep)),
        format!("1{}", " + 1".repeat(deep)),
        "[for x in ".repeat(deep),
    ];
    for text in &texts {
        assert!(!parse_expression(text).errors.is_empty(), "{}", &text[..20]);
        assert!(parse(&format!("a = {text}\n")).errors().next().is_some());
    }
    assert!(!parse_template(&"%{ if a }".repeat(deep)).errors.is_empty());
    assert!(parse(&"a {\n".repeat(1_000)).errors().next().is_some());
    for text in [
        "(".repeat(200) + "1" + &")".repeat(200),
        format!("1{}", " + 1".repeat(400)),
    ] {
        assert!(parse_expression(&text).errors.is_empty());
    }
}

#[test]
fn traversals_are_static() {
    let traversal = parse_traversal_abs("a.b[0][\"c\"]").tree.unwrap();
    assert_eq!(
        (traversal.root.name.as_str(), traversal.steps.len()),
        ("a", 3)
    );
    assert!(!parse_traversal_abs("a[b]").errors.is_empty());
    assert!(!parse_traversal_abs("a[*]").errors.is_empty());
    assert!(!parse_traversal_abs("a.").errors.is_empty());
}

#[test]
fn the_tokens_at_an_offset_are_found() {
    let text = "a {\n  b = var.name\n}\n";
    let file = parse(text);
    let offset = text.find("name").unwrap() + 2;
    let (_, tokens) = file
        .syntax_at(u32::try_from(offset).unwrap().into())
        .unwrap();
    let token = tokens.right_biased().unwrap();
    assert_eq!(token.text(), "name");
    let kinds: Vec<String> = token
        .parent_ancestors()
        .map(|node| format!("{:?}", node.kind()))
        .collect();
    expect!["Step Traversal Attribute Body Block Segment"].assert_eq(&kinds.join(" "));
}

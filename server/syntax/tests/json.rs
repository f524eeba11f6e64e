//! JSON syntax: what becomes of broken text, where things stand, and what an edit costs.

use expect_test::{Expect, expect};
use syntax::ast::{Block, Expr, ExprKind, Item};
use syntax::dump::dump_expr;
use syntax::{File, json, parse_json};
use text::{TextRange, TextSize};

fn labels(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "resource" | "data" => Some(&["type", "name"]),
        "provider" | "variable" | "output" | "module" => Some(&["name"]),
        "terraform" | "locals" => Some(&[]),
        _ => None,
    }
}

fn parse(text: &str) -> File {
    parse_json(text, labels)
}

/// Each block with its properties, as far as they were understood, and what is wrong.
fn check(text: &str, expected: Expect) {
    let file = parse(text);
    let mut out = String::new();
    for segment in file.segments() {
        for item in &segment.parsed.items {
            out += &match item {
                Item::Block(block) => block_text(block),
                Item::Member(member) => format!("? {}\n", member_text(member)),
                Item::Attribute(_) => unreachable!("native syntax"),
            };
        }
    }
    for (segment, error) in file.errors() {
        let range = error.at + file.offset_of(segment).unwrap();
        let at = &text[range];
        out += &format!(
            "{:?} {at:?}: {}: {}\n",
            range.start(),
            error.summary,
            error.detail
        );
    }
    expected.assert_eq(&out);
}

fn block_text(block: &Block) -> String {
    let mut out = block.kind.name.to_string();
    block
        .labels
        .iter()
        .for_each(|label| out += &format!(" {}", label.text));
    out += "\n";
    for member in block.body.members.iter().flatten() {
        out += &format!("  {}\n", member_text(member));
    }
    out
}

fn member_text(member: &json::Member) -> String {
    format!("{} = {}", member.name(), dump_expr(&member.value.expr()))
}

#[test]
fn blocks_are_nested_under_their_labels() {
    check(
        r#"{
  "//": "a comment",
  "resource": {
    "a": {"x": {"n": -1.50}, "y": [{"n": 2}, {"n": null}]},
    "b": {"z": null}
  },
  "locals": [{"a": true}, {"b": [1, {"${c}": "d"}]}],
  "nonsense": 1
}"#,
        expect![[r#"
            resource a x
              n = -.15e+01
            resource a y
              n = 2e+00
            resource a y
              n = null
            locals
              a = true
            locals
              b = (tuple 1e+00 (object ((json (wrap (var "c"))) (json (template "d")))))
            ? nonsense = 1e+00
        "#]],
    );
}

#[test]
fn only_half_typed_members_are_missing() {
    for text in [
        // A value, a colon, a quote, a brace, a comma.
        "{\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\": \n      },\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
        "{\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\"\n        \"o\": 1\n      },\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
        "{\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\": \"${b.\n      },\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
        "{\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\": 1,\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
        "{\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\": [1\n      }\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
        "{\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\": 1,\n        \n      },\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
        "{\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\": & 1\n      },\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
        "\n  \"resource\": {\n    \"a\": {\n      \"x\": {\n        \"m\": 1\n      },\n      \"y\": {\"n\": 2}\n    }\n  }\n}",
    ] {
        let file = parse(text);
        assert!(file.errors().next().is_some(), "{text}");
        let blocks: Vec<_> = file
            .body()
            .blocks()
            .map(|(_, block)| block_text(block))
            .collect();
        assert_eq!(blocks.len(), 2, "{text}\n{blocks:#?}");
        assert_eq!(blocks[1], "resource a y\n  n = 2e+00\n", "{text}");
        assert!(blocks[0].contains("m ="), "{text}\n{}", blocks[0]);
    }
}

#[test]
fn mistakes_have_the_words_of_hcl() {
    check(
        r#"{"locals": {"a": tru, "b": "\q", "c": 01, "d": undefined}}"#,
        expect![[r#"
            locals
              a = (error)
              b = (json (template "\\q"))
              c = (error)
              d = (error)
            17 "tru": Invalid JSON keyword: "tru" is not a valid JSON keyword. Did you mean "true"?
            30 "\"": Invalid JSON string: There is a syntax error in the given JSON string.
            38 "01": Invalid JSON number: There is a syntax error in the given JSON number.
            47 "undefined": Invalid JSON keyword: The JavaScript identifier "undefined" cannot be used in JSON.
        "#]],
    );
    check(
        r#"{"locals": "x", "resource": {"a": 1}, "output": {}}"#,
        expect![[r#"
            11 "\"x\"": Incorrect JSON value type: Either a JSON object or a JSON array is required, representing the contents of one or more "locals" blocks.
            34 "1": Incorrect JSON value type: Either a JSON object or JSON array of objects is required here, to specify name labels for this block.
            34 "1": Missing block label: At least one object property is required, whose name represents the resource block's name.
            48 "{": Missing block label: At least one object property is required, whose name represents the output block's name.
        "#]],
    );
    check(
        "[1]",
        expect![[r#"
        1 "1": Incorrect JSON value type: A JSON object is required here, to define arguments and child blocks.
    "#]],
    );
    check(
        "",
        expect![[r#"
        0 "": Missing value: The JSON data ends prematurely.
        0 "": Root value must be object: The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects.
    "#]],
    );
    check(
        r#"{"a" = 1}"#,
        expect![[r#"
        ? a = 1e+00
        5 "=": Missing property value colon: JSON uses a colon as its name/value delimiter, not an equals sign.
        0 "{": Root value must be object: The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects.
    "#]],
    );
}

/// The text that each part of a template stands for.
#[test]
fn ranges_in_strings_reach_through_escapes() {
    let text =
        r#"{"locals": {"x": "\u00e4\"\ud83d\ude00 ${upper(\"a\")} ${local.y[\"k\"].z} \\"}}"#;
    let file = parse(text);
    let (segment, block) = file.body().blocks().next().unwrap();
    let offset = file.offset_of(segment).unwrap();
    let member = &block.body.members.as_ref().unwrap()[0];
    let expr = member.value.expr();
    let ExprKind::Json(string) = &expr.kind else {
        panic!("{expr:?}");
    };
    let mut places = Vec::new();
    parts(&string.template, &mut |range| {
        places.push(&text[range + offset])
    });
    expect![[r#"
        [
            "\\u00e4\\\"\\ud83d\\ude00 ${upper(\\\"a\\\")} ${local.y[\\\"k\\\"].z} \\\\",
            "\\u00e4\\\"\\ud83d\\ude00 ",
            "upper(\\\"a\\\")",
            " ",
            "local.y[\\\"k\\\"].z",
            "local",
            ".y",
            "[\\\"k\\\"]",
            ".z",
            " \\\\",
        ]
    "#]]
    .assert_debug_eq(&places);
}

fn parts(expr: &Expr, visit: &mut dyn FnMut(TextRange)) {
    visit(expr.range);
    if let ExprKind::Template(template) = &expr.kind {
        for part in &template.parts {
            match part {
                syntax::ast::TemplatePart::Interpolation(expr) => parts(expr, visit),
                syntax::ast::TemplatePart::Literal(_, range) => visit(*range),
                _ => {}
            }
        }
    }
    if let Some(traversal) = expr.as_traversal() {
        visit(traversal.root.range);
        traversal.steps.iter().for_each(|step| visit(step.range));
    }
}

#[test]
fn an_edit_reads_one_segment_and_keeps_the_others() {
    let resource = |name: &str, value: &str| format!("      \"{name}\": {{\"n\": \"{value}\"}}");
    let text = |middle: &str| {
        format!(
            "{{\n  \"resource\": {{\n    \"a\": {{\n{},\n{},\n{}\n    }}\n  }}\n}}\n",
            resource("x", "1"),
            resource("y", middle),
            resource("z", "3")
        )
    };
    let before = parse(&text("2"));
    let (after, parsed) = before.reparse(&text("two"));
    assert_eq!(parsed, 1);
    let ids = |file: &File| Vec::from_iter(file.segments().map(|segment| segment.id));
    let (before, after) = (ids(&before), ids(&after));
    let same = before.iter().zip(&after).filter(|(a, b)| a == b).count();
    assert_eq!((before.len(), same), (4, 3));
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        for depth in [200, 10_000, 200_000] {
            let text = format!(
                "{{\"locals\": {{\"x\": {}1{}}}}}",
                open.repeat(depth),
                close.repeat(depth)
            );
            let file = parse(&text);
            let errors: Vec<_> = file.errors().map(|(_, error)| &*error.summary).collect();
            let expected = match depth < 250 && open != "[{\"a\":" {
                true => vec![],
                false => vec!["Nesting too deep"],
            };
            assert_eq!(errors, expected, "{open} {depth}");
            for (_, block) in file.body().blocks() {
                block_text(block);
            }
        }
        let unclosed = open.repeat(10_000);
        assert_eq!(parse(&unclosed).errors().count(), 1, "{open}");
    }
    // A template is as deep as what is around it.
    let template = format!("\"${{{}1{}}}\"", "[".repeat(200), "]".repeat(200));
    let text = format!(
        "{{\"locals\": {{\"x\": {}{template}{}}}}}",
        "[".repeat(200),
        "]".repeat(200)
    );
    let file = parse(&text);
    let (_, block) = file.body().blocks().next().unwrap();
    assert!(block_text(block).len() < 20_000);
}

#[test]
fn any_text_can_be_read() {
    let seed = r#"{"resource": {"a": {"b": {"c": "x${local.d["\u00e4\n"]}y", "e": [1, -2.5e3, true, null],
  "dynamic": {"f": {"for_each": "${var.g}", "content": {"h": "${f.value}"}}}}}},
 "//": "z", "locals": [{"i": {"${j}": {}}}], "output": {"k": {"value": "%{ for l in m }${l}%{ endfor }"}}}"#;
    let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\n", "${", "%{", "~", "null", "-", "1e", "ä",
        "\u{1}", "//", "=",
    ];
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let mut file = parse(seed);
    for _ in 0..4_000 {
        let mut text = seed.to_owned();
        for _ in 0..=next(4) {
            let mut at = next(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match next(3) {
                0 => text.insert_str(at, pieces[next(pieces.len())]),
                1 => text.truncate(at),
                _ => {
                    let mut end = (at + next(8)).min(text.len());
                    while !text.is_char_boundary(end) {
                        end -= 1;
                    }
                    text.replace_range(at..end.max(at), pieces[next(pieces.len())]);
                }
            }
        }
        let (edited, _) = file.reparse(&text);
        let whole: String = edited
            .segments()
            .map(|segment| segment.parsed.syntax().text().to_string())
            .collect();
        assert_eq!(whole, text);
        let fresh = parse(&text);
        let shape = |file: &File| {
            let segments = file.segments();
            let items = segments.map(|s| format!("{:?} {:?}", s.offset, s.parsed.items));
            (items.collect::<Vec<_>>(), file.errors().count())
        };
        assert_eq!(shape(&edited), shape(&fresh), "{text}");
        for segment in edited.segments() {
            let len = TextSize::of(&text[usize::from(segment.offset)..]);
            for item in &segment.parsed.items {
                let segment_len = segment.parsed.len();
                assert!(item.range().end() <= segment_len && segment_len <= len);
                if let Item::Block(block) = item {
                    block_text(block);
                }
            }
        }
        file = edited;
    }
}

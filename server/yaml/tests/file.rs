//! Files: lossless, shared between versions, with ranges.

use text::{TextRange, TextSize};
use yaml::{File, SegmentRole, Style, parse};

const PROGRAM: &str = "# head\nname: shop\ndescription: |\n  text: a\n\n  # more\n\nresources: # all\n\n  # first\n  a:\n    type: x\n\n  b:\r\n    type: y\n";

#[test]
fn the_segments_are_the_text() {
    for text in [
        PROGRAM,
        "",
        "\n",
        "a",
        "---\nname: x\n",
        "{\"name\": \"x\"}",
        "\t\n- x\n",
    ] {
        assert_eq!(File::parse(text).text(), text);
    }
    for end in 0..=PROGRAM.len() {
        assert_eq!(File::parse(&PROGRAM[..end]).text(), &PROGRAM[..end]);
    }
}

#[test]
fn sections_are_cut_into_entries_with_the_comments_above_them() {
    let file = File::parse(PROGRAM);
    let texts: Vec<_> = file
        .segments()
        .map(|it| (it.parsed.role.clone(), it.parsed.text.to_string()))
        .collect();
    let entry = SegmentRole::Entry("resources".into());
    let expected = [
        (SegmentRole::Key, "# head\nname: shop\n"),
        (
            SegmentRole::Key,
            "description: |\n  text: a\n\n  # more\n\n",
        ),
        (SegmentRole::Header, "resources: # all\n\n"),
        (entry.clone(), "  # first\n  a:\n    type: x\n\n"),
        (entry, "  b:\r\n    type: y\n"),
    ];
    assert_eq!(texts, expected.map(|(role, text)| (role, text.to_owned())));
    assert_eq!(file.errors().count(), 0);
    let names: Vec<_> = file
        .entries("resources")
        .iter()
        .map(|it| it.name().to_owned())
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        file.key("description").unwrap().value.text(),
        Some("text: a\n\n# more\n")
    );
}

#[test]
fn a_section_in_flow_style_has_entries_too() {
    for text in [
        "resources: {a: {type: x}, b: {type: y}}\n",
        "{\"resources\": {\"a\": {\"type\": \"x\"}, \"b\": {\"type\": \"y\"}}}",
    ] {
        let file = File::parse(text);
        let entries = file.entries("resources");
        let types: Vec<_> = entries
            .iter()
            .map(|it| it.value.get("type").unwrap().value.text())
            .collect();
        assert_eq!(types, [Some("x"), Some("y")]);
    }
}

#[test]
fn an_edit_parses_one_segment() {
    let before = File::parse(PROGRAM);
    let (after, parsed) = before.reparse(&PROGRAM.replace("type: x", "type: xy"));
    assert_eq!(parsed, 1);
    let (same, parsed) = after.reparse(&after.text());
    assert_eq!(
        (same.segments().count(), parsed),
        (after.segments().count(), 0)
    );
    let shared = before.segments().zip(after.segments());
    assert_eq!(
        shared
            .filter(|(a, b)| std::sync::Arc::ptr_eq(a.parsed, b.parsed))
            .count(),
        4
    );
}

#[test]
fn equal_segments_have_different_names() {
    let file = File::parse("resources:\n  a:\n    type: x\n  a:\n    type: x\n");
    let ids: Vec<_> = file.segments().map(|it| it.id).collect();
    assert_eq!((ids[1].hash, ids[1].nth, ids[2].nth), (ids[2].hash, 0, 1));
}

#[test]
fn errors_of_the_language_host_are_reported() {
    for (text, expected) in [
        ("a: &x 1\nb: *x", "alias nodes are not supported"),
        ("a:\n  ? [b]\n  : c", "mapping keys must be strings"),
        ("a:\n  5: c", "mapping keys must be strings"),
        ("a: {~: c}", "mapping keys must be strings"),
        ("a: \"\u{7}\"", "control characters are not allowed"),
        (
            "a:\n  -\tb: c",
            "found character that cannot start any token",
        ),
        ("a:\n  b: 1\n  b: 2", "the key \"b\" is already defined"),
        ("a: !!int x", "cannot decode !!str `x` as a !!int"),
        ("a: !!null 1", "cannot decode !!int `1` as a !!null"),
        (
            r#"a: ["b\/c"]"#,
            "while parsing a quoted scalar, found unknown escape character",
        ),
    ] {
        let parse = parse(text);
        assert!(
            parse.errors.iter().any(|it| it.detail == expected),
            "{text}: {:?}",
            parse.errors
        );
    }
    assert!(parse("a: &x 1").errors.len() < 2);
    assert_eq!(parse(r#"{a: "b\\/c", d: 'e\/f', g: h\/i}"#).errors, []);
    let file = File::parse("a: \"it\\'s \\\\'one\\'\"\nb: '\\'\n");
    assert_eq!(file.errors().count(), 0);
    assert_eq!(file.key("a").unwrap().value.text(), Some("it's \\'one'"));
    for text in ["<<: 1\na: 2", "a: !!float 3", "a: !other x"] {
        assert!(parse(text).errors.is_empty(), "{text}");
    }
}

#[test]
fn of_several_documents_the_first_is_read() {
    let text = "---\na: 1\n---\na: 2\nb: [\n";
    let file = File::parse(text);
    assert_eq!((file.text(), file.errors().count()), (text.to_owned(), 0));
    assert_eq!(file.key("a").unwrap().value.text(), Some("1"));
    assert!(file.key("b").is_none());
    assert_eq!(parse("{a: 1}\n---\n{b: 1}\n").errors, []);
    let file = File::parse("---\n{a: 1}\n");
    assert_eq!(file.key("a").unwrap().value.text(), Some("1"));
    let file = File::parse("%YAML 1.1\n%TAG !e! tag:example.com,2026:\n---\na: 1\n---\na: 2\n");
    assert_eq!(file.errors().count(), 0);
    assert_eq!(file.key("a").unwrap().value.text(), Some("1"));
    for text in [
        "%YAML 1.2\n---\na: 1\n",
        "%YAML 1.1\na: 1\n",
        "%YAML 1.1\n%YAML 1.1\n---\na: 1\n",
    ] {
        assert_eq!(File::parse(text).errors().count(), 1, "{text}");
    }
}

#[test]
fn aliases_stand_for_what_they_refer_to_and_merge_keys_are_merged() {
    let shown = |text: &str| match yaml::resolved(text) {
        Ok(root) => plain(&root.unwrap()),
        Err(problem) => problem.detail.to_string(),
    };
    for (text, expected) in [
        ("a: &x 1\nb: *x", "{a: 1, b: 1}"),
        (
            "a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}",
            "{a: {k: 1, l: 2}, b: {l: 3, k: 1}}",
        ),
        (
            "a: &x {<<: {k: 1}}\nb: [*x, *x]",
            "{a: {k: 1}, b: [{k: 1}, {k: 1}]}",
        ),
        ("<<: [{a: 1}, {a: 2, b: 3}]", "{a: 1, b: 3}"),
        ("a: &x [*x]", "an anchor contains itself"),
        ("a: 1\nb: {c: 1, c: 2}", "the key \"c\" is already defined"),
        ("a: !!binary aGVsbG8=", "{a: hello}"),
        ("a: |\n  x\nb: >\n  y\n  z", "{a: x\n, b: y z}"),
        ("a: |\n  x\n", "{a: x\n}"),
        (
            "a: !!binary x",
            "!!binary value contains invalid base64 data",
        ),
        ("%YAML 1.1\n---\na: 1", "{a: 1}"),
        ("%YAML 1.2\n---\na: 1", "found incompatible YAML document"),
        (
            "a: &x 1\n<<: *x",
            "map merge requires map or sequence of maps as the value",
        ),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
    assert_eq!(yaml::resolved_document("a: 1\n---\na: 2\n"), None);
    assert!(yaml::resolved_document("a: 1\n").is_some());
    let long = |length: usize| format!("{{\"{}\": 1}}", "k".repeat(length));
    assert_eq!(shown(&long(1100)), "could not find expected ':'");
    assert!(yaml::resolved(&long(1000)).is_ok());
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for nth in 1..9 {
        let before = format!("*a{}", nth - 1);
        text += &format!("a{nth}: &a{nth} [{}]\n", vec![before; 9].join(", "));
    }
    assert_eq!(shown(&text), "document contains excessive aliasing");
    let long = "x".repeat(1 << 20);
    let text = format!("a: &a {long}\nb: [{}]\n", vec!["*a"; 100].join(", "));
    assert_eq!(shown(&text), "document contains excessive aliasing");
    let (open, close): (String, String) = (0..100).map(|at| (format!("&a{at} ["), "]")).unzip();
    let text = format!("a: {open}{long}{close}\n");
    assert_eq!(shown(&text), "document contains excessive aliasing");
}

fn plain(node: &yaml::Node) -> String {
    let entries = node.entries().iter();
    let entries: Vec<String> = entries
        .map(|it| format!("{}: {}", plain(&it.key), plain(&it.value)))
        .collect();
    match node.text() {
        Some(text) => text.to_owned(),
        None if entries.is_empty() => {
            let elements: Vec<String> = node.elements().iter().map(plain).collect();
            format!("[{}]", elements.join(", "))
        }
        None => format!("{{{}}}", entries.join(", ")),
    }
}

#[test]
fn parts_of_scalars_are_found_in_the_text() {
    for (text, style) in [
        ("a: x ${b.c} y", Style::Plain),
        ("a: \"x\\n\\u00e4 ${b.c} y\"", Style::DoubleQuoted),
        ("a: 'x''s ${b.c} y'", Style::SingleQuoted),
        ("a: |\n  first\n    second ${b.c}\n", Style::Literal),
        ("a: >-\n  first\n  second ${b.c}\n\n  y\n", Style::Folded),
        ("a: x\n  z ${b.c} y", Style::Plain),
        ("ä: \"x\n  z ${b.c} \\\n  y\"", Style::DoubleQuoted),
    ] {
        let parse = parse(text);
        let entry = &parse.root.as_ref().unwrap().entries()[0];
        let scalar = entry.value.scalar().unwrap();
        assert_eq!(scalar.style, style);
        let at = scalar.text.find("${b.c}").unwrap();
        let part = TextRange::at(TextSize::new(at as u32), TextSize::new(6));
        let found = scalar.locate(text, entry.value.range, part);
        assert_eq!(
            &text[std::ops::Range::<usize>::from(found)],
            "${b.c}",
            "{text}"
        );
    }
}

#[test]
fn ranges_of_keys_and_values_are_those_of_the_text() {
    let text = "a:\n  - b: \"ö\"\n    c: [1, {d: 2}]\n  - x  # comment\n";
    let root = parse(text).root.unwrap();
    let slice = |range: TextRange| &text[std::ops::Range::<usize>::from(range)];
    let list = &root.entries()[0].value;
    assert_eq!(slice(list.range), "- b: \"ö\"\n    c: [1, {d: 2}]\n  - x");
    let first = &list.elements()[0];
    assert_eq!(slice(first.range), "b: \"ö\"\n    c: [1, {d: 2}]");
    assert_eq!(slice(first.entries()[0].value.range), "\"ö\"");
    assert_eq!(slice(first.entries()[1].key.range), "c");
    assert_eq!(slice(first.entries()[1].value.range), "[1, {d: 2}]");
    assert_eq!(slice(list.elements()[1].range), "x");
}

#[test]
fn lines_of_collections_in_flow_style_begin_anywhere() {
    for (text, wanted) in [
        ("variables:\n  v: {\n    a: 1\n}\n", "{a: 1}"),
        (
            "variables:\n  v: {\n      a: [\n    1, # one\n    2\n ],\n    b: c }\n",
            "{a: [1, 2], b: c}",
        ),
        ("variables:\n  v: [\"ä\" # ö\n  , b]\n  w: 1\n", "[ä, b]"),
    ] {
        let file = File::parse(text);
        let errors: Vec<_> = file.errors().collect();
        assert!(errors.is_empty(), "{text}: {errors:?}");
        assert_eq!(plain(file.entries("variables")[0].value), wanted, "{text}");
    }
    let broken = yaml::parse("v: [1, 2\n b: 3]\n");
    assert_eq!(broken.errors.len(), 1);
}

#[test]
fn lines_of_quoted_text_begin_anywhere() {
    let read = |value: &str| {
        let text = format!("resources:\n  r:\n    properties:\n      v: {value}\n  s: 1\n");
        let file = File::parse(&text);
        let errors: Vec<_> = file.errors().map(|(_, it)| it.detail.clone()).collect();
        let names = file.entries("resources").len();
        let first = file.entries("resources").first().map(|it| plain(it.value));
        (first.unwrap_or_default(), names, errors)
    };
    for (value, wanted) in [
        ("\"one\n  two\"", "one two"),
        ("\"one\ntwo\"", "one two"),
        ("\"one  \n\n \n    two\" # three", "one\n\ntwo"),
        ("\"one \\\n  two\\\\\n three\"", "one two\\ three"),
        ("'it''s\n  two'", "it's two"),
        ("[\"ä\n# two\", three]", "[ä # two, three]"),
    ] {
        let wanted = (format!("{{properties: {{v: {wanted}}}}}"), 2, Vec::new());
        assert_eq!(read(value), wanted, "{value}");
    }
    // About to be closed: the resource below is kept.
    let (_, names, errors) = read("\"one\n  t: \"two\"");
    assert_eq!((names, errors.len()), (3, 1));
}

#[test]
fn a_question_mark_ends_a_plain_scalar_of_a_collection_in_flow_style() {
    let errors = |text: &str| -> Vec<String> {
        let problems = yaml::parse(text).errors.into_iter();
        problems.map(|it| it.detail).collect()
    };
    assert_eq!(errors("v: http://a/?b=c\nw: [\"a?b\"]\n"), [""; 0]);
    assert_eq!(
        errors("v: [http://a/?b=c]\n"),
        ["did not find expected ',' or ']'"]
    );
    assert_eq!(
        errors("v: {u: http://a/?}\n"),
        ["did not find expected ',' or '}'"]
    );
}

#[test]
fn a_key_may_hold_colons() {
    let file = File::parse("config:\n  shop:a: 1\n  \"b: c\": 2\n  'd': # 3\n    e: 4\n  f:g\n");
    let entries = file.entries("config");
    let names: Vec<_> = entries.iter().map(|it| it.name().to_owned()).collect();
    assert_eq!(names, ["shop:a", "b: c", "d"]);
    assert_eq!(file.errors().count(), 1);
}

#[test]
fn keys_of_segments_are_reported_where_they_are_repeated() {
    let text = "name: a\noutputs:\n  x: 1\n  y: 2\n  x: 3\nresources:\n  x: 4\nname: b\n";
    let file = File::parse(text);
    let repeated = file.repeated_keys("outputs").into_iter();
    let repeated = repeated.map(|(segment, problem)| {
        let at = problem.at + file.segment(segment).unwrap().offset;
        (u32::from(at.start()), problem.detail.to_string())
    });
    let at = |key: &str| text.rfind(key).unwrap() as u32;
    assert_eq!(
        repeated.collect::<Vec<_>>(),
        [
            (at("name"), "the key \"name\" is already defined".to_owned()),
            (at("x: 3"), "the key \"x\" is already defined".to_owned()),
        ]
    );
    assert_eq!(file.errors().count(), 0);
}

//! Bodies decoded by schemas: text in, value and diagnostics out.

use config::{Body, Origin};
use cty::{Mark, Path, Type, Value};
use eval::{Decoded, EvalContext, Functions, Variables, decode, locate, reject_ephemeral};
use expect_test::{Expect, expect};
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting};
use text::{Diagnostic, FileId, Severity, Span};

/// The body of the first block of a text, and the text.
struct Source<'a> {
    text: &'a str,
    body: Body,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Source<'a> {
        let file = syntax::parse(text);
        assert_eq!(
            file.errors().count(),
            0,
            "{:?}",
            file.errors().collect::<Vec<_>>()
        );
        let (segment, block) = file.body().blocks().next().expect("a block");
        assert_eq!(file.offset_of(segment), Some(0.into()));
        let origin = Origin {
            file: FileId::new("/main.tf"),
            segment,
        };
        let body = Body::new(&origin, &block.body, origin.span(block.header_range));
        Source { text, body }
    }

    fn at(&self, span: &Span) -> String {
        let text = &self.text[std::ops::Range::<usize>::from(span.range)];
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn show(&self, diagnostics: &[Diagnostic]) -> String {
        let line = |diagnostic: &Diagnostic| {
            let severity = match diagnostic.severity {
                Severity::Error => "",
                Severity::Warning | Severity::Info | Severity::Hint => "warning: ",
            };
            let place = diagnostic
                .subject
                .as_ref()
                .map_or("nowhere".into(), |span| self.at(span));
            let related = diagnostic.related.iter();
            let related = related
                .map(|related| format!(" ({}: `{}`)", related.message, self.at(&related.span)));
            let related: String = related.collect();
            format!(
                "\n{severity}{}: {}{related}\n  at `{place}`",
                diagnostic.summary, diagnostic.detail
            )
        };
        diagnostics.iter().map(line).collect()
    }
}

fn variables() -> Variables {
    let var = Value::object([
        ("id", Value::unknown(Type::String)),
        ("later", Value::unknown(Type::list(Type::String))),
        ("secret", Value::string("hush").mark(Mark::Sensitive)),
        (
            "secrets",
            Value::list(Type::String, vec![Value::string("a")]).mark(Mark::Sensitive),
        ),
        ("token", Value::string("t").mark(Mark::Ephemeral)),
        (
            "names",
            Value::list(Type::String, vec![Value::string("a"), Value::string("b")]),
        ),
        ("anything", Value::dynamic()),
    ]);
    Variables::from([("var".into(), var)])
}

fn decoded(schema: &Block, source: &Source<'_>) -> Decoded {
    let functions = Functions::without_surroundings();
    let decoded = decode(
        &source.body,
        schema,
        &EvalContext::new(variables(), &functions),
    );
    let nonconforming = cty::test_conformance(decoded.value.ty(), &schema.implied_type());
    assert!(nonconforming.is_empty(), "{nonconforming:?}");
    decoded
}

fn check(schema: &Block, text: &str, expected: Expect) {
    let source = Source::new(text);
    let decoded = decoded(schema, &source);
    expected.assert_eq(&format!(
        "{:?}{}",
        decoded.value,
        source.show(&decoded.diagnostics)
    ));
}

fn optional(ty: Type) -> Attribute {
    Attribute::new(ty).optional()
}

fn block<const N: usize, const M: usize>(
    attributes: [(&str, Attribute); N],
    block_types: [(&str, NestedBlock); M],
) -> Block {
    Block {
        attributes: attributes
            .into_iter()
            .map(|(name, attribute)| (name.into(), attribute))
            .collect(),
        block_types: block_types
            .into_iter()
            .map(|(name, nested)| (name.into(), nested))
            .collect(),
        ..Block::default()
    }
}

fn nested(nesting: Nesting, block: Block) -> NestedBlock {
    NestedBlock {
        block,
        nesting,
        min_items: 0,
        max_items: 0,
    }
}

fn disk(nesting: Nesting) -> Block {
    let disk = block(
        [
            ("name", optional(Type::String)),
            ("size", optional(Type::Number)),
        ],
        [],
    );
    block(
        [("id", Attribute::new(Type::String).computed())],
        [("disk", nested(nesting, disk))],
    )
}

#[test]
fn arguments_are_converted_and_absent_ones_are_null() {
    let schema = block(
        [
            ("name", Attribute::new(Type::String).required()),
            ("count", optional(Type::Number)),
            ("tags", optional(Type::map(Type::String))),
            ("id", Attribute::new(Type::String).computed()),
        ],
        [],
    );
    check(
        &schema,
        "x {\n  name = 5\n  count = \"7\"\n  tags = { a = 1 }\n}\n",
        expect![[r#"{"count": 7, "id": null(string), "name": "5", "tags": map{"a": "1"}}"#]],
    );
}

#[test]
fn missing_unknown_and_mistyped_arguments_are_reported() {
    let schema = block(
        [
            ("name", Attribute::new(Type::String).required()),
            ("size", optional(Type::Number)),
            ("list", optional(Type::list(Type::String))),
        ],
        [("disk", nested(Nesting::List, Block::default()))],
    );
    check(
        &schema,
        "x {\n  sise = 1\n  disk = 2\n  list = [\"a\", {}]\n  size = var.nope\n  size2 {}\n  name {}\n  disc {}\n}\n",
        expect![[r#"
            {"disk": list(object({}))[], "list": unknown(list(string)), "name": null(string), "size": unknown(number)}
            Unsupported argument: An argument named "sise" is not expected here.
              at `sise`
            Unsupported argument: An argument named "disk" is not expected here. Did you mean to define a block of type "disk"?
              at `disk`
            Unsupported block type: Blocks of type "size2" are not expected here.
              at `size2`
            Unsupported block type: Blocks of type "name" are not expected here. Did you mean to define argument "name"? If so, use the equals sign to assign it a value.
              at `name`
            Unsupported block type: Blocks of type "disc" are not expected here. Did you mean "disk"?
              at `disc`
            Incorrect attribute value type: Inappropriate value for attribute "list": element 1: string required.
              at `["a", {}]`
            Missing required argument: The argument "name" is required, but no definition was found.
              at `x`
            Unsupported attribute: This object does not have an attribute named "nope".
              at `.nope`"#]],
    );
}

#[test]
fn lists_and_sets_of_blocks_have_an_element_per_block() {
    let text = "x {\n  disk {\n    name = \"a\"\n  }\n  disk {\n    size = 1\n  }\n  disk {\n    name = \"a\"\n  }\n}\n";
    check(
        &disk(Nesting::List),
        text,
        expect![[
            r#"{"disk": list[{"name": "a", "size": null(number)}, {"name": null(string), "size": 1}, {"name": "a", "size": null(number)}], "id": null(string)}"#
        ]],
    );
    check(
        &disk(Nesting::Set),
        text,
        expect![[
            r#"{"disk": set[{"name": "a", "size": null(number)}, {"name": null(string), "size": 1}], "id": null(string)}"#
        ]],
    );
}

#[test]
fn a_single_block_is_null_and_a_group_empty_when_absent() {
    check(
        &disk(Nesting::Single),
        "x {}\n",
        expect![[r#"{"disk": null(object({name=string,size=number})), "id": null(string)}"#]],
    );
    check(
        &disk(Nesting::Group),
        "x {}\n",
        expect![[r#"{"disk": {"name": null(string), "size": null(number)}, "id": null(string)}"#]],
    );
    check(
        &disk(Nesting::Single),
        "x {\n  disk {}\n  disk {\n  }\n}\n",
        expect![[r#"
            {"disk": {"name": null(string), "size": null(number)}, "id": null(string)}
            Duplicate disk block: Only one block of type "disk" is allowed. (first defined here: `disk`)
              at `disk`"#]],
    );
}

#[test]
fn blocks_of_a_map_are_keyed_by_their_label() {
    check(
        &disk(Nesting::Map),
        "x {\n  disk \"a\" {\n    size = 1\n  }\n  disk \"b\" {}\n  disk \"a\" {}\n  disk {}\n  disk \"c\" \"d\" {}\n}\n",
        expect![[r#"
            {"disk": map{"a": {"name": null(string), "size": 1}, "b": {"name": null(string), "size": null(number)}}, "id": null(string)}
            Duplicate disk block: A block for disk "a" was already defined. The disk labels must be unique.
              at `disk "a"`
            Missing key for disk: All disk blocks must have 1 labels (key).
              at `disk`
            Extraneous label for disk: Only 1 labels (key) are expected for disk blocks.
              at `"d"`"#]],
    );
}

#[test]
fn too_few_and_too_many_blocks_are_reported() {
    let mut schema = disk(Nesting::List);
    schema.block_types.get_mut("disk").unwrap().min_items = 2;
    schema.block_types.get_mut("disk").unwrap().max_items = 2;
    check(
        &schema,
        "x {\n  disk {}\n}\n",
        expect![[r#"
        {"disk": list[{"name": null(string), "size": null(number)}], "id": null(string)}
        Insufficient disk blocks: At least 2 "disk" blocks are required.
          at `x`"#]],
    );
    check(
        &schema,
        "x {\n  disk {}\n  disk {}\n  disk {\n    size = 3\n  }\n}\n",
        expect![[r#"
            {"disk": list[{"name": null(string), "size": null(number)}, {"name": null(string), "size": null(number)}, {"name": null(string), "size": 3}], "id": null(string)}
            Too many disk blocks: No more than 2 "disk" blocks are allowed
              at `{`"#]],
    );
    let unknown = "x {\n  dynamic \"disk\" {\n    for_each = var.later\n    content {}\n  }\n}\n";
    check(
        &schema,
        unknown,
        expect![[
            r#"{"disk": unknown(list(object({name=string,size=number}))), "id": null(string)}"#
        ]],
    );
}

#[test]
fn dynamic_blocks_are_expanded() {
    check(
        &disk(Nesting::List),
        "x {\n  dynamic \"disk\" {\n    for_each = { p = 1, q = 2 }\n    iterator = it\n    content {\n      name = it.key\n      \
         size = it.value\n    }\n  }\n  disk {\n    name = \"last\"\n  }\n}\n",
        expect![[
            r#"{"disk": list[{"name": "p", "size": 1}, {"name": "q", "size": 2}, {"name": "last", "size": null(number)}], "id": null(string)}"#
        ]],
    );
}

#[test]
fn dynamic_blocks_nest_and_see_the_iterators_around_them() {
    let inner = block([("x", optional(Type::String))], []);
    let outer = block(
        [("y", optional(Type::String))],
        [("inner", nested(Nesting::List, inner))],
    );
    let schema = block([], [("outer", nested(Nesting::List, outer))]);
    check(
        &schema,
        "x {\n  dynamic \"outer\" {\n    for_each = var.names\n    content {\n      y = outer.value\n      dynamic \"inner\" {\n        \
         for_each = [1]\n        content {\n          x = \"${outer.value}${inner.value}\"\n        }\n      }\n    }\n  }\n}\n",
        expect![[
            r#"{"outer": list[{"inner": list[{"x": "a1"}], "y": "a"}, {"inner": list[{"x": "b1"}], "y": "b"}]}"#
        ]],
    );
}

#[test]
fn an_unknown_for_each_makes_all_blocks_of_the_type_unknown() {
    let text = "x {\n  disk {}\n  dynamic \"disk\" {\n    for_each = var.later\n    content {\n      nme = 1\n    }\n  }\n}\n";
    check(
        &disk(Nesting::List),
        text,
        expect![[r#"
        {"disk": unknown(list(object({name=string,size=number}))), "id": null(string)}
        Unsupported argument: An argument named "nme" is not expected here. Did you mean "name"?
          at `nme`"#]],
    );
    check(
        &disk(Nesting::Set),
        text,
        expect![[r#"
        {"disk": unknown(set(object({name=string,size=number}))), "id": null(string)}
        Unsupported argument: An argument named "nme" is not expected here. Did you mean "name"?
          at `nme`"#]],
    );
}

#[test]
fn marks_of_for_each_are_on_its_blocks() {
    let text = "x {\n  dynamic \"disk\" {\n    for_each = var.secrets\n    content {\n      size = 1\n    }\n  }\n}\n";
    check(
        &disk(Nesting::List),
        text,
        expect![[
            r#"{"disk": list[{"name": null(string), "size": (sensitive)}], "id": null(string)}"#
        ]],
    );
    let mut modern = disk(Nesting::List);
    let any = NestedType {
        attributes: Default::default(),
        nesting: Nesting::Single,
    };
    modern
        .attributes
        .insert("modern".into(), Attribute::nested(any).optional());
    check(
        &modern,
        text,
        expect![[r#"{"disk": list[(sensitive)], "id": null(string), "modern": null(object({}))}"#]],
    );
}

#[test]
fn mistakes_in_dynamic_blocks_are_reported() {
    check(
        &disk(Nesting::List),
        "x {\n  dynamic \"disc\" {\n    for_each = []\n    content {}\n  }\n  dynamic \"disk\" {\n    content {}\n  }\n  dynamic \
         \"disk\" {\n    for_each = []\n  }\n  dynamic \"disk\" {\n    for_each = 5\n    content {}\n  }\n  dynamic \"disk\" {\n    for_each \
         = null\n    content {}\n  }\n  dynamic \"disk\" {\n    for_each = []\n    iterator = a.b\n    content {}\n  }\n  dynamic {\n  \
         }\n}\n",
        expect![[r#"
            {"disk": list(object({name=string,size=number}))[], "id": null(string)}
            Unsupported block type: Blocks of type "disc" are not expected here.
              at `"disc"`
            Missing type for dynamic: All dynamic blocks must have 1 labels (type).
              at `dynamic`
            Missing required argument: The argument "for_each" is required, but no definition was found.
              at `{`
            Missing dynamic content block: A dynamic block must have a nested block of type "content" to describe the body of each generated block.
              at `{`
            Invalid dynamic for_each value: Cannot use a number value in for_each. An iterable collection is required.
              at `5`
            Invalid dynamic for_each value: Cannot use a null value in for_each.
              at `null`
            Invalid dynamic iterator name: Dynamic iterator must be a single variable name.
              at `a.b`"#]],
    );
}

#[test]
fn attributes_of_the_legacy_sdk_may_be_written_as_blocks() {
    let rule = Type::object([("port", Type::Number), ("from", Type::list(Type::String))]);
    let schema = block(
        [
            ("rule", optional(Type::set(rule.clone()))),
            ("other", optional(Type::list(rule))),
        ],
        [],
    );
    check(
        &schema,
        "x {\n  rule {\n    port = \"80\"\n  }\n  rule {\n    port = 443\n    from = var.names\n  }\n  rule {\n    prt = 1\n  }\n}\n",
        expect![[r#"
            {"other": null(list(object({from=list(string),port=number}))), "rule": set[{"from": list["a", "b"], "port": 443}, {"from": null(list(string)), "port": 80}, {"from": null(list(string)), "port": null(number)}]}
            Unsupported argument: An argument named "prt" is not expected here. Did you mean "port"?
              at `prt`"#]],
    );
    check(
        &schema,
        "x {\n  rule = []\n}\n",
        expect![[
            r#"{"other": null(list(object({from=list(string),port=number}))), "rule": set(object({from=list(string),port=number}))[]}"#
        ]],
    );
}

#[test]
fn nested_attributes_may_omit_optional_ones() {
    let node = NestedType {
        attributes: [
            ("name".into(), Attribute::new(Type::String).required()),
            ("size".into(), optional(Type::Number)),
            ("arn".into(), Attribute::new(Type::String).computed()),
        ]
        .into(),
        nesting: Nesting::List,
    };
    let schema = block([("node", Attribute::nested(node).optional())], []);
    check(
        &schema,
        "x {\n  node = [{ name = \"a\" }, { name = \"b\", size = 2 }]\n}\n",
        expect![[
            r#"{"node": list[{"arn": null(string), "name": "a", "size": null(number)}, {"arn": null(string), "name": "b", "size": 2}]}"#
        ]],
    );
    check(
        &schema,
        "x {\n  node = [{ size = 2 }]\n}\n",
        expect![[r#"
            {"node": unknown(list(object({arn=string,name=string,size=number})))}
            Incorrect attribute value type: Inappropriate value for attribute "node": element 0: attribute "name" is required.
              at `[{ size = 2 }]`"#]],
    );
}

#[test]
fn optional_attributes_of_an_object_can_be_left_out() {
    let ty = Type::object_with_optional([("a", Type::String), ("b", Type::Number)], ["b"]);
    let schema = block(
        [
            ("x", optional(ty.clone())),
            ("y", optional(ty.clone())),
            ("z", optional(ty)),
        ],
        [],
    );
    check(
        &schema,
        "x {\n  x = { a = 1 }\n  y = var.id\n}\n",
        expect![[r#"
            {"x": {"a": "1", "b": null(number)}, "y": unknown(object({a=string,b=number})), "z": null(object({a=string,b=number}))}
            Incorrect attribute value type: Inappropriate value for attribute "y": object required.
              at `var.id`"#]],
    );
}

#[test]
fn dynamic_attributes_in_blocks_make_tuples() {
    let any = block([("value", optional(Type::Dynamic))], []);
    let schema = block([], [("item", nested(Nesting::List, any))]);
    check(
        &schema,
        "x {\n  item {\n    value = 1\n  }\n  item {\n    value = [true]\n  }\n}\n",
        expect![[r#"{"item": [{"value": 1}, {"value": [true]}]}"#]],
    );
}

#[test]
fn ephemeral_values_are_for_write_only_attributes() {
    let schema = block(
        [
            ("plain", optional(Type::Dynamic)),
            ("secret", optional(Type::String).write_only()),
        ],
        [(
            "disk",
            nested(Nesting::List, block([("key", optional(Type::String))], [])),
        )],
    );
    let source = Source::new(
        "x {\n  plain  = { a = [1, var.token], b = var.token }\n  secret = var.token\n  disk {\n    key = var.token\n  }\n}\n",
    );
    let decoded = decoded(&schema, &source);
    assert_eq!(decoded.diagnostics, []);
    let diagnostics = reject_ephemeral(
        &source.body,
        &schema,
        &decoded.value,
        config::Profile::TERRAFORM_1_11,
    );
    expect![[r#"

        Invalid use of ephemeral value: Ephemeral values are not valid for "disk[0].key", because it is not a write-only attribute and must be persisted to state.
          at `var.token`
        Invalid use of ephemeral value: Ephemeral values are not valid for "plain", because it is not a write-only attribute and must be persisted to state.
          at `{ a = [1, var.token], b = var.token }`"#]].assert_eq(&source.show(&diagnostics));
}

#[test]
fn places_in_the_value_are_found_in_the_text() {
    let inner = block([("x", optional(Type::Dynamic))], []);
    let schema = block(
        [
            ("a", optional(Type::Dynamic)),
            ("b", optional(Type::String)),
        ],
        [
            ("list", nested(Nesting::List, inner.clone())),
            ("map", nested(Nesting::Map, inner.clone())),
            ("one", nested(Nesting::Single, inner.clone())),
            ("dyn", nested(Nesting::List, inner.clone())),
            ("set", nested(Nesting::Set, inner)),
        ],
    );
    let source = Source::new(
        "x {\n  a = { k = [1, { z = 2 }], \"q\" = f(3) }\n  list {\n    x = 10\n  }\n  list {\n    x = 11\n  }\n  map \"m\" {\n    x = 12\n  \
         }\n  one {\n    x = 13\n  }\n  dynamic \"dyn\" {\n    for_each = []\n    content {\n      x = 14\n    }\n  }\n  set {\n    x = 15\n  }\n  set \
         {}\n}\n",
    );
    let find = |path: Path| match locate(&source.body, &schema, &path) {
        Some(span) => source.at(&span),
        None => "nowhere".into(),
    };
    let path = |name: &str| Path::new().attr(name);
    let key = |key: &str| Value::string(key);
    let at = |index: i64| Value::int(index);
    assert_eq!(find(path("a")), "{ k = [1, { z = 2 }], \"q\" = f(3) }");
    assert_eq!(find(path("a").attr("k").index(at(1)).attr("z")), "2");
    assert_eq!(find(path("a").index(key("q")).attr("deeper")), "f(3)");
    assert_eq!(
        find(path("a").attr("none")),
        "{ k = [1, { z = 2 }], \"q\" = f(3) }"
    );
    assert_eq!(find(path("b")), "nowhere");
    assert_eq!(find(path("list").index(at(1)).attr("x")), "11");
    assert_eq!(find(path("list").index(at(1)).attr("y")), "list");
    assert_eq!(find(path("list").index(at(7)).attr("x")), "list");
    assert_eq!(find(path("map").index(key("m")).attr("x")), "12");
    assert_eq!(find(path("one").attr("x")), "13");
    assert_eq!(find(path("dyn").index(at(3)).attr("x")), "14");
    assert_eq!(find(path("set").index(at(0)).attr("x")), "set");
}

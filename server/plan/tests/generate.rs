//! The configuration that is generated for an object: what `terraform plan -generate-config-out` of Terraform 1.11
//! writes. `tests/workspaces/import-generated` asks it about real types.

use cty::{Mark, Type, Value};
use expect_test::{Expect, expect};
use plan::generate_resource;
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting};

fn check(provider: Option<&str>, schema: Block, object: Value, expect: Expect) {
    let addr = "fake_disk.a".parse().unwrap();
    expect.assert_eq(&generate_resource(&addr, provider, &schema, &object));
}

fn text() -> Attribute {
    Attribute::new(Type::String)
}

fn attributes<const N: usize>(attributes: [(&str, Attribute); N]) -> Block {
    Block {
        attributes: attributes.map(|(name, it)| (name.into(), it)).into(),
        ..Block::default()
    }
}

#[test]
fn only_arguments_are_written_without_the_id_of_the_older_sdk() {
    let deprecated = Attribute {
        deprecated: true,
        ..text().optional()
    };
    check(
        None,
        attributes([
            ("arn", text().computed()),
            ("id", text().optional().computed()),
            ("name", text().required()),
            ("old", deprecated),
            ("zone", text().optional().computed()),
        ]),
        Value::object([
            ("arn", Value::string("arn:1")),
            ("id", Value::string("1")),
            ("name", Value::string("a \"${b}\"\n")),
            ("old", Value::string("x")),
            ("zone", Value::string("")),
        ]),
        expect![[r#"
            resource "fake_disk" "a" {
              name = "a \"$${b}\"\n"
              zone = null
            }"#]],
    );
}

#[test]
fn sensitive_arguments_are_generated_as_comments() {
    check(
        Some("fake.west"),
        attributes([
            ("key", text().optional().sensitive()),
            ("marked", text().optional()),
            ("once", text().optional().write_only()),
            ("secret_once", text().optional().sensitive().write_only()),
        ]),
        Value::object([
            ("key", Value::string("x")),
            ("marked", Value::string("x").mark(Mark::Sensitive)),
            ("once", Value::null(Type::String)),
            ("secret_once", Value::null(Type::String)),
        ]),
        expect![[r#"
            resource "fake_disk" "a" {
              provider    = fake.west
              key         = null # sensitive
              marked      = null # sensitive
              once        = null
              secret_once = null # sensitive
            }"#]],
    );
}

#[test]
fn collections_and_json_are_written_as_expressions() {
    let map = |value| Value::map(Type::String, [("a-b", value), ("c d", Value::string("2"))]);
    check(
        None,
        attributes([
            ("empty", Attribute::new(Type::map(Type::String)).optional()),
            ("json", text().optional()),
            ("list", Attribute::new(Type::list(Type::Number)).optional()),
            ("map", Attribute::new(Type::map(Type::String)).optional()),
            ("not_json", text().optional()),
        ]),
        Value::object([
            (
                "empty",
                Value::map(Type::String, Vec::<(&str, Value)>::new()),
            ),
            ("json", Value::string(" {\"b\": [1, null], \"a\": {}}")),
            (
                "list",
                Value::list(Type::Number, vec![Value::int(1), Value::int(2)]),
            ),
            ("map", map(Value::string("1"))),
            ("not_json", Value::string("[oh")),
        ]),
        expect![[r#"
            resource "fake_disk" "a" {
              empty = {}
              json = jsonencode({
                a = {}
                b = [1, null]
              })
              list = [1, 2]
              map = {
                a-b   = "1"
                "c d" = "2"
              }
              not_json = "[oh"
            }"#]],
    );
}

#[test]
fn nested_attributes_and_blocks() {
    let attribute = |nesting| {
        let attributes = [("size".into(), Attribute::new(Type::Number).optional())].into();
        Attribute::nested(NestedType {
            attributes,
            nesting,
        })
        .optional()
    };
    let mut block = attributes([
        ("group", attribute(Nesting::Single)),
        ("groups", attribute(Nesting::List)),
        ("keyed", attribute(Nesting::Map)),
        ("none", attribute(Nesting::List)),
    ]);
    let nested = |nesting| NestedBlock {
        block: attributes([("port", Attribute::new(Type::Number).required())]),
        nesting,
        min_items: 0,
        max_items: 0,
    };
    block.block_types = [
        ("one", nested(Nesting::Single)),
        ("rule", nested(Nesting::List)),
        ("with", nested(Nesting::Map)),
    ]
    .map(|(name, it)| (name.into(), it))
    .into();
    let size = |size| Value::object([("size", Value::int(size))]);
    let port = |port| Value::object([("port", Value::int(port))]);
    let size_type = size(1).ty().clone();
    let port_type = port(1).ty().clone();
    check(
        None,
        block,
        Value::object([
            ("group", size(1)),
            (
                "groups",
                Value::list(size_type.clone(), vec![size(2), size(3)]),
            ),
            ("keyed", Value::map(size_type.clone(), [("k", size(4))])),
            ("none", Value::null(Type::list(size_type.clone()))),
            ("one", Value::null(port_type.clone())),
            (
                "rule",
                Value::list(port_type.clone(), vec![port(80), port(81)]),
            ),
            ("with", Value::map(port_type.clone(), [("k 1", port(82))])),
        ]),
        expect![[r#"
            resource "fake_disk" "a" {
              group = {
                size = 1
              }
              groups = [
                {
                  size = 2
                },
                {
                  size = 3
                },
              ]
              keyed = {
                k = {
                  size = 4
                }
              }
              none = null
              rule {
                port = 80
              }
              rule {
                port = 81
              }
              with "k 1" {
                port = 82
              }
            }"#]],
    );
}

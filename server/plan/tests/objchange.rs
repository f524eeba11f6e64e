//! The rules of proposed new states, plan validity and `ignore_changes`, one by one.

use std::collections::BTreeMap;

use cty::{Path, Type, Value};
use plan::objchange::{
    IgnoreChanges, assert_plan_valid, ignore_changes, planned_unknown_object, proposed_new,
    revert_ignored,
};
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting};

fn string() -> Attribute {
    Attribute::new(Type::String)
}

fn attributes<const N: usize>(
    given: [(&str, Attribute); N],
) -> BTreeMap<smol_str::SmolStr, Attribute> {
    given
        .into_iter()
        .map(|(name, a)| (name.into(), a))
        .collect()
}

fn block<const N: usize>(given: [(&str, Attribute); N]) -> Block {
    Block {
        attributes: attributes(given),
        ..Block::default()
    }
}

/// An argument and two attributes that are computed, one of which may be given.
fn item() -> Block {
    block([
        ("arg", string().optional()),
        ("both", string().optional().computed()),
        ("out", string().computed()),
    ])
}

fn nested(nesting: Nesting) -> Block {
    let item = NestedBlock {
        block: item(),
        nesting,
        min_items: 0,
        max_items: 0,
    };
    Block {
        block_types: BTreeMap::from([("item".into(), item)]),
        ..Block::default()
    }
}

fn nested_type(nesting: Nesting) -> Block {
    let item = NestedType {
        attributes: item().attributes,
        nesting,
    };
    block([("item", Attribute::nested(item).optional())])
}

fn text(text: &str) -> Value {
    match text {
        "-" => Value::null(Type::String),
        "?" => Value::unknown(Type::String),
        text => Value::string(text),
    }
}

/// `arg both out`, where `-` is null and `?` unknown.
fn object(words: &str) -> Value {
    let names = ["arg", "both", "out"];
    Value::object(names.into_iter().zip(words.split(' ').map(text)))
}

fn item_type() -> Type {
    item().implied_type()
}

fn list(items: &[&str]) -> Value {
    let items = items.iter().map(|item| object(item)).collect();
    Value::object([("item", Value::list(item_type(), items))])
}

fn set(items: &[&str]) -> Value {
    let items = items.iter().map(|item| object(item)).collect();
    Value::object([("item", Value::set(item_type(), items))])
}

fn map(items: &[(&str, &str)]) -> Value {
    let items = items.iter().map(|(key, item)| (*key, object(item)));
    Value::object([("item", Value::map(item_type(), items))])
}

#[track_caller]
fn check_proposed(schema: &Block, prior: Value, config: Value, wanted: Value) {
    assert_eq!(proposed_new(schema, &prior, &config), wanted);
}

#[test]
fn a_creation_proposes_the_configuration() {
    let none = Value::null(item_type());
    check_proposed(&item(), none.clone(), object("a - -"), object("a - -"));
    check_proposed(&item(), none.clone(), object("? b -"), object("? b -"));
    check_proposed(&item(), none.clone(), none.clone(), none);
}

#[test]
fn computed_attributes_keep_their_prior_value_unless_given() {
    let prior = || object("a b c");
    check_proposed(&item(), prior(), object("a - -"), object("a b c"));
    check_proposed(&item(), prior(), object("x - -"), object("x b c"));
    check_proposed(&item(), prior(), object("- x -"), object("- x c"));
    check_proposed(&item(), prior(), object("a ? -"), object("a ? c"));
}

#[test]
fn elements_of_lists_belong_together_by_position() {
    for schema in [nested(Nesting::List), nested_type(Nesting::List)] {
        let prior = || list(&["a b c", "d e f"]);
        check_proposed(&schema, prior(), list(&["x - -"]), list(&["x b c"]));
        check_proposed(
            &schema,
            prior(),
            list(&["d - -", "a - -", "n - -"]),
            list(&["d b c", "a e f", "n - -"]),
        );
        check_proposed(&schema, prior(), list(&[]), list(&[]));
    }
}

#[test]
fn elements_of_maps_belong_together_by_key() {
    for schema in [nested(Nesting::Map), nested_type(Nesting::Map)] {
        check_proposed(
            &schema,
            map(&[("k", "a b c"), ("gone", "d e f")]),
            map(&[("k", "x - -"), ("new", "n - -")]),
            map(&[("k", "x b c"), ("new", "n - -")]),
        );
    }
}

#[test]
fn elements_of_sets_belong_together_when_all_that_is_given_agrees() {
    for schema in [nested(Nesting::Set), nested_type(Nesting::Set)] {
        check_proposed(
            &schema,
            set(&["a b c", "d e f"]),
            set(&["d - -", "x - -"]),
            set(&["d e f", "x - -"]),
        );
    }
}

#[test]
fn an_absent_single_block_stays_absent_and_a_group_is_always_there() {
    let schema = nested(Nesting::Single);
    let with = |item: Value| Value::object([("item", item)]);
    let none = || Value::null(item_type());
    check_proposed(&schema, with(object("a b c")), with(none()), with(none()));
    check_proposed(
        &schema,
        with(object("a b c")),
        with(object("x - -")),
        with(object("x b c")),
    );
    let schema = nested(Nesting::Group);
    check_proposed(
        &schema,
        with(object("a b c")),
        with(object("- - -")),
        with(object("- b c")),
    );
}

#[test]
fn an_unknown_dynamic_block_stays_unknown() {
    let schema = nested(Nesting::List);
    let unknown = || Value::object([("item", Value::unknown(Type::list(item_type())))]);
    check_proposed(&schema, list(&["a b c"]), unknown(), unknown());
}

/// Unless something in it can only have come from a configuration.
#[test]
fn a_computed_object_that_is_no_longer_given_keeps_its_prior_value() {
    let object_of = |attribute: Attribute| NestedType {
        attributes: attributes([("in", attribute)]),
        nesting: Nesting::Single,
    };
    let value = |text: Value| Value::object([("o", Value::object([("in", text)]))]);
    let none = Value::object([("o", Value::null(Type::object([("in", Type::String)])))]);
    let computed = Attribute::nested(object_of(string().optional().computed()));
    let schema = block([("o", computed.optional().computed())]);
    check_proposed(&schema, value(text("a")), none.clone(), value(text("a")));
    let given = Attribute::nested(object_of(string().optional()));
    let schema = block([("o", given.optional().computed())]);
    check_proposed(&schema, value(text("a")), none.clone(), none);
}

#[test]
fn computed_attributes_of_a_data_source_are_unknown() {
    assert_eq!(
        planned_unknown_object(&item(), &object("a - -")),
        object("a ? ?")
    );
    assert_eq!(
        planned_unknown_object(&item(), &object("a b -")),
        object("a b ?")
    );
}

#[track_caller]
fn check_valid(schema: &Block, prior: Value, config: Value, planned: Value, wanted: &[&str]) {
    let found = assert_plan_valid(schema, &prior, &config, &planned);
    let found: Vec<String> = found
        .iter()
        .map(|problem| format!("{}: {}", problem.path, problem.message))
        .collect();
    assert_eq!(found, wanted);
}

#[test]
fn a_provider_may_fill_in_computed_attributes() {
    let none = || Value::null(item_type());
    check_valid(&item(), none(), object("a - -"), object("a x ?"), &[]);
    check_valid(
        &item(),
        object("a b c"),
        object("a - -"),
        object("a y z"),
        &[],
    );
}

#[test]
fn a_provider_may_not_change_configured_attributes() {
    let none = || Value::null(item_type());
    check_valid(
        &item(),
        none(),
        object("a b -"),
        object("x y z"),
        &[
            r#".arg: planned value "x" does not match config value "a""#,
            r#".both: planned value "y" does not match config value "b""#,
        ],
    );
    check_valid(
        &item(),
        none(),
        object("- - -"),
        object("x - -"),
        &[r#".arg: planned value "x" for a non-computed attribute"#],
    );
    check_valid(&item(), none(), object("? - -"), object("? - -"), &[]);
}

/// It says so that both mean the same.
#[test]
fn a_provider_may_keep_the_prior_value() {
    check_valid(
        &item(),
        object("A b c"),
        object("a - -"),
        object("A b c"),
        &[],
    );
    check_valid(
        &item(),
        object("A b c"),
        object("a - -"),
        object("x b c"),
        &[r#".arg: planned value "x" does not match config value "a" nor prior value "A""#],
    );
}

#[test]
fn a_sensitive_value_is_not_in_a_message() {
    let schema = block([("key", string().optional().sensitive())]);
    let key = |value: &str| Value::object([("key", text(value))]);
    let none = Value::null(schema.implied_type());
    check_valid(
        &schema,
        none,
        key("secret"),
        key("other"),
        &[".key: sensitive planned value does not match config value"],
    );
}

#[test]
fn a_write_only_value_is_not_in_the_plan() {
    let schema = block([("key", string().optional().write_only())]);
    let key = |value: &str| Value::object([("key", text(value))]);
    let none = Value::null(schema.implied_type());
    check_valid(&schema, none, key("secret"), key("-"), &[]);
}

#[test]
fn presence_must_agree() {
    let none = || Value::null(item_type());
    check_valid(
        &item(),
        none(),
        object("a - -"),
        none(),
        &[": planned for absence but config wants existence"],
    );
    check_valid(
        &item(),
        object("a b c"),
        none(),
        object("a b c"),
        &[": planned for existence but config wants absence"],
    );
}

#[test]
fn blocks_are_as_many_as_are_written() {
    check_valid(
        &nested(Nesting::List),
        list(&[]),
        list(&["a - -"]),
        list(&["a ? ?", "b ? ?"]),
        &[".item: block count in plan (2) disagrees with count in config (1)"],
    );
    check_valid(
        &nested(Nesting::List),
        list(&[]),
        list(&["a - -"]),
        list(&["b ? ?"]),
        &[r#".item[0].arg: planned value "b" does not match config value "a""#],
    );
    check_valid(
        &nested(Nesting::Map),
        map(&[]),
        map(&[("k", "a - -")]),
        map(&[("other", "a - -")]),
        &[
            r#".item: block key "other" from plan is not present in config"#,
            r#".item: block key "k" from config is not present in plan"#,
        ],
    );
    // Elements of a set can't be told apart.
    check_valid(
        &nested(Nesting::Set),
        set(&[]),
        set(&["a - -"]),
        set(&["b ? ?"]),
        &[],
    );
}

fn tagged(arg: &str, tags: &[(&str, &str)]) -> Value {
    let tags = tags.iter().map(|(key, value)| (*key, text(value)));
    Value::object([("arg", text(arg)), ("tags", Value::map(Type::String, tags))])
}

fn tagged_block() -> Block {
    block([
        ("arg", string().optional()),
        ("tags", Attribute::new(Type::map(Type::String)).optional()),
    ])
}

#[test]
fn ignored_arguments_are_held_at_the_prior_value() {
    let ignore = |path: Path| IgnoreChanges::Paths(vec![path]);
    let held = |ignore: &IgnoreChanges, prior: &Value, config: Value| {
        ignore_changes(ignore, &tagged_block(), prior, &config)
    };
    let prior = tagged("old", &[("kept", "1"), ("x", "1")]);
    let config = || tagged("new", &[("kept", "2"), ("x", "2")]);

    let arg = ignore(Path::new().attr("arg"));
    assert_eq!(
        held(&arg, &prior, config()),
        tagged("old", &[("kept", "2"), ("x", "2")])
    );
    let key = ignore(Path::new().attr("tags").index(Value::string("kept")));
    assert_eq!(
        held(&key, &prior, config()),
        tagged("new", &[("kept", "1"), ("x", "2")])
    );
    // A key that only one side has.
    assert_eq!(
        held(&key, &prior, tagged("new", &[("x", "2")])),
        tagged("new", &[("kept", "1"), ("x", "2")])
    );
    let without = tagged("old", &[("x", "1")]);
    assert_eq!(held(&key, &without, config()), tagged("new", &[("x", "2")]));
    assert_eq!(held(&IgnoreChanges::All, &prior, config()), prior);
    // Nothing is ignored at a creation.
    let none = Value::null(tagged_block().implied_type());
    assert_eq!(held(&IgnoreChanges::All, &none, config()), config());
}

#[test]
fn ignoring_everything_gives_no_configuration_for_computed_attributes() {
    let held = ignore_changes(
        &IgnoreChanges::All,
        &item(),
        &object("a b c"),
        &object("x y -"),
    );
    assert_eq!(held, object("a b -"));
}

#[test]
fn changes_by_a_legacy_provider_are_tolerated() {
    let arg = IgnoreChanges::Paths(vec![Path::new().attr("arg")]);
    let prior = object("a b c");
    assert_eq!(
        revert_ignored(&arg, &prior, &object("x y z")),
        object("a y z")
    );
    assert_eq!(
        revert_ignored(&IgnoreChanges::All, &prior, &object("x y z")),
        prior
    );
    let none = Value::null(item_type());
    assert_eq!(
        revert_ignored(&arg, &none, &object("x y z")),
        object("x y z")
    );
}

//! Operations on values agree with the reference implementation's, on recorded answers (see
//! data/values.go).

use cty::testing::{type_from_source, types_from_source, value_from_source, values_from_source};
use cty::{Type, Value, convert, json, msgpack, test_conformance, unify, unify_unsafe};

fn value(text: &str) -> Value {
    value_from_source(text).unwrap_or_else(|| panic!("no value: {text}"))
}

fn values(text: &str) -> Vec<Value> {
    values_from_source(text).unwrap_or_else(|| panic!("no values: {text}"))
}

fn ty(text: &str) -> Type {
    type_from_source(text).unwrap_or_else(|| panic!("no type: {text}"))
}

fn hex(bytes: Vec<u8>) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Our answer and the recorded one, in one form.
fn answers(op: &str, operands: &[&str], want: &str) -> (String, String) {
    let show = |value: Value| format!("{value:?} {}", value.ty());
    let wanted = || {
        if want.starts_with('!') {
            want.to_string()
        } else {
            show(value(want))
        }
    };
    let plain = |text: String| (text, want.to_string());
    let of_type = |ty: Option<Type>| {
        let wanted = (want != "cty.NilType").then(|| self::ty(want));
        (format!("{ty:?}"), format!("{wanted:?}"))
    };
    let operation = |op: fn(&Value, &Value) -> Result<Value, cty::OpError>| {
        (
            show(op(&value(operands[0]), &value(operands[1])).unwrap()),
            wanted(),
        )
    };
    match op {
        "equals" => (
            show(value(operands[0]).equals(&value(operands[1]))),
            wanted(),
        ),
        "convert" => match convert(&value(operands[0]), &ty(operands[1])) {
            Ok(got) => (show(got), wanted()),
            Err(error) => (format!("!{error}"), wanted()),
        },
        "unify" => of_type(unify(&types_from_source(operands[0]).unwrap())),
        "unify unsafe" => of_type(unify_unsafe(&types_from_source(operands[0]).unwrap())),
        "conforms" => plain(
            test_conformance(&ty(operands[0]), &ty(operands[1]))
                .is_empty()
                .to_string(),
        ),
        "hash" => {
            let (value, _) = value(operands[0]).unmark_deep();
            plain(crc32fast::hash(cty::testing::set_hash(&value).as_bytes()).to_string())
        }
        "unmark deep" => (show(value(operands[0]).unmark_deep().0), wanted()),
        "unknown as null" => (show(value(operands[0]).unknown_as_null()), wanted()),
        "length" => (show(value(operands[0]).length().unwrap()), wanted()),
        "set" => {
            let set = Value::set(Type::Dynamic, values(operands[0]));
            let want = values(want);
            (
                format!("{:?}", set.unmark().0.as_slice().unwrap()),
                format!("{want:?}"),
            )
        }
        "msgpack" | "msgpack dynamic" => {
            let (value, ty) = (
                value(operands[0]),
                operands.get(1).map_or(Type::Dynamic, |it| ty(it)),
            );
            let bytes = msgpack::encode(&value, &ty).unwrap();
            let back = msgpack::decode(&bytes, &ty);
            assert!(back.is_ok(), "{value:?} is read back: {back:?}");
            plain(hex(bytes))
        }
        "json" => plain(match json::encode_simple(&value(operands[0])) {
            Ok(text) => text,
            Err(error) => format!("!{error}"),
        }),
        "add" => operation(Value::add),
        "sub" => operation(Value::sub),
        "mul" => operation(Value::mul),
        "lt" => operation(Value::lt),
        "gt" => operation(Value::gt),
        "le" => operation(Value::le),
        "ge" => operation(Value::ge),
        "prefix" => {
            let prefix = cty::testing::text_from_source(operands[0]).unwrap();
            (
                show(
                    Value::unknown(Type::String)
                        .refine()
                        .string_prefix(&prefix)
                        .build(),
                ),
                wanted(),
            )
        }
        other => panic!("operation {other}"),
    }
}

#[test]
fn answers_are_those_of_the_reference() {
    // A longer table than the one kept here can be made with the generator.
    let rows = match std::env::var_os("PLANLENS_VALUES") {
        Some(path) => std::fs::read_to_string(path).unwrap(),
        None => include_str!("data/values.tsv").to_string(),
    };
    let (mut count, mut failures) = (0, Vec::new());
    for row in rows.lines() {
        let columns: Vec<_> = row.split('\t').collect();
        let [op, operands @ .., want] = &columns[..] else {
            panic!("three columns: {row}")
        };
        let (got, wanted) = answers(op, operands, want);
        count += 1;
        if got != wanted {
            failures.push(format!("{op} {operands:#?}\n   got {got}\n  want {wanted}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {count}\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// What a hostile answer says to be long is as long as it is.
#[test]
fn sizes_in_msgpack_that_are_not_there_are_refused() {
    let most = [0xff; 4];
    for (marker, ty) in [
        (0xdb, Type::String),
        (0xc6, Type::String),
        (0xdd, Type::list(Type::String)),
        (0xdd, Type::set(Type::Number)),
        (0xdd, Type::tuple([Type::Bool])),
        (0xdf, Type::map(Type::Bool)),
        (0xdf, Type::object([("a", Type::Bool)])),
        (0xc9, Type::Bool),
    ] {
        let bytes = [&[marker][..], &most, &[0xa1, b'a']].concat();
        assert!(
            cty::msgpack::decode(&bytes, &ty).is_err(),
            "{marker:x} {ty:?}"
        );
        let _ = cty::msgpack::implied_type(&bytes);
    }
    // Lists in lists, of which each has one element.
    let deep = [0x91; 1 << 20];
    assert!(cty::msgpack::implied_type(&deep).is_err());
    assert!(cty::msgpack::decode(&[&[0x92][..], &deep].concat(), &Type::Dynamic).is_err());
}

//! The rules of values, one by one.

use cty::{
    CapsuleType, Mark, Number, Path, PathMarks, Type, Value, convert, json, mismatch_message,
    msgpack, try_transform, unify_unsafe,
};
use std::sync::Arc;

fn number(text: &str) -> Value {
    Value::number(Number::parse(text).unwrap())
}

fn debug(value: Value) -> String {
    format!("{value:?}")
}

fn converted(value: Value, ty: Type) -> String {
    match convert(&value, &ty) {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{}: {error}", error.path),
    }
}

fn sensitive(value: impl Into<Value>) -> Value {
    value.into().mark(Mark::Sensitive)
}

#[test]
fn a_value_is_small() {
    assert!(size_of::<Value>() <= 32);
    assert!(size_of::<Type>() <= 16);
    assert!(size_of::<Number>() <= 16);
}

#[test]
fn decimal_fractions_add_up() {
    assert_eq!(debug(number("0.1").add(&number("0.2")).unwrap()), "0.3");
    assert_eq!(debug(number("1").div(&number("3")).unwrap()).len(), 157);
    assert_eq!(debug(number("1e21")), "1000000000000000000000");
    assert_eq!(debug(number("-0")), "-0");
    assert_eq!(debug(number("9007199254740993")), "9007199254740993");
    assert_eq!(number("0.1"), Value::number(Number::try_from(0.1).unwrap()));
}

#[test]
fn a_number_is_read_as_the_language_reads_it() {
    for text in [
        "",
        "-",
        ".",
        "1e",
        "0x10",
        "1_000",
        " 1",
        "1 ",
        "nan",
        "e5",
        "--1",
        "1e99999999999",
    ] {
        assert_eq!(Number::parse(text), None, "{text}");
    }
    for (text, want) in [
        ("1.", "1"),
        (".5", "0.5"),
        ("+7", "7"),
        ("1p3", "8"),
        ("Inf", "+Inf"),
        ("-inf", "-Inf"),
    ] {
        assert_eq!(
            Number::parse(text)
                .map(|number| number.to_string())
                .as_deref(),
            Some(want)
        );
    }
}

#[test]
fn a_huge_exponent_costs_nothing() {
    let huge = Number::parse("1e600000000").unwrap();
    assert!(huge.to_string().len() < 200);
    assert_eq!(
        huge.add(&Number::from(1i64)).unwrap().compare(&huge),
        std::cmp::Ordering::Equal
    );
    assert_eq!(huge.to_bigint(), None);
    assert_eq!(huge.to_f64(), f64::INFINITY);
    let tiny = Number::parse("1e-600000000").unwrap();
    assert!(tiny.to_string().len() < 200);
    assert_eq!(tiny.floor(), Number::from(0i64));
    assert_eq!(tiny.ceil(), Number::from(1i64));
}

#[test]
fn strings_are_composed() {
    assert_eq!(Value::string("e\u{301}"), Value::string("é"));
    let object = Value::object([("e\u{301}", Value::int(1))]);
    assert_eq!(object.get("é"), Some(&Value::int(1)));
    assert_eq!(object.get_attr("e\u{301}"), Ok(Value::int(1)));
}

#[test]
fn a_set_iterates_in_the_reference_order() {
    let set = |elements| debug(Value::set(Type::Dynamic, elements));
    assert_eq!(
        set(vec![Value::int(10), Value::int(9), Value::int(100)]),
        "set[9, 10, 100]"
    );
    let object = |n| Value::object([("n", Value::int(n))]);
    assert_eq!(
        set(vec![object(10), object(9), object(100), object(9)]),
        r#"set[{"n": 100}, {"n": 10}, {"n": 9}]"#
    );
    let null = Value::null(Type::String);
    let unknown = Value::unknown(Type::String);
    assert_eq!(
        set(vec![null, unknown.clone(), unknown, "b".into(), "a".into()]),
        r#"set["a", "b", unknown(string), unknown(string), null(string)]"#
    );
}

#[test]
fn a_set_with_unknown_elements_has_an_uncertain_length() {
    let set = Value::set(Type::String, vec!["a".into(), Value::unknown(Type::String)]);
    assert_eq!(set.length_int(), None);
    assert_eq!(
        debug(set.length().unwrap()),
        "unknown(number, not null, >= 1, <= 2)"
    );
    assert_eq!(
        debug(set.has_element(&"b".into()).unwrap()),
        "unknown(bool, not null)"
    );
    assert_eq!(debug(set.has_element(&"a".into()).unwrap()), "true");
}

#[test]
fn marks_travel_and_hide() {
    let secret = sensitive("x");
    assert_eq!(debug(secret.clone()), "(sensitive)");
    assert_eq!(secret.as_str(), None);
    assert!(secret.equals(&"x".into()).has_mark(&Mark::Sensitive));
    let set = Value::set(Type::String, vec![secret.clone(), "y".into()]);
    assert!(set.has_mark(&Mark::Sensitive));
    let object = Value::object([("a", secret), ("b", Value::int(1))]);
    assert!(object.contains_marked() && !object.is_marked());
    assert_eq!(debug(object.clone()), r#"{"a": (sensitive), "b": 1}"#);
    let (plain, marks) = object.unmark_deep_with_paths();
    assert_eq!(debug(plain.clone()), r#"{"a": "x", "b": 1}"#);
    let place = PathMarks {
        path: Path::new().attr("a"),
        marks: [Mark::Sensitive].into(),
    };
    assert_eq!(marks, [place]);
    assert_eq!(plain.mark_with_paths(&marks), object);
}

#[test]
fn refinements_of_an_unknown_value_are_used() {
    let url = Value::unknown(Type::String)
        .refine()
        .string_prefix("https://a")
        .build();
    assert_eq!(debug(url.clone()), r#"unknown(string, prefix "https://")"#);
    assert_eq!(debug(url.equals(&"ftp://a".into())), "false");
    assert_eq!(
        debug(url.equals(&"https://a".into())),
        "unknown(bool, not null)"
    );
    let id = Value::unknown(Type::String).refine_not_null();
    assert_eq!(debug(id.equals(&Value::null(Type::Dynamic))), "false");
    let count = Value::unknown(Type::Number).refine().not_null();
    let count = count
        .number_range(Number::from(2i64), Number::from(5i64))
        .build();
    assert_eq!(debug(count.lt(&Value::int(1)).unwrap()), "false");
    assert_eq!(debug(count.lt(&Value::int(6)).unwrap()), "true");
    assert_eq!(
        debug(count.add(&Value::int(1)).unwrap()),
        "unknown(number, not null, >= 3, <= 6)"
    );
}

#[test]
fn a_refinement_that_leaves_one_value_makes_it_known() {
    let unknown = |ty| Value::unknown(ty).refine();
    let one = || Number::from(1i64);
    let list = || Type::list(Type::String);
    assert_eq!(debug(unknown(Type::Bool).null().build()), "null(bool)");
    assert_eq!(
        debug(
            unknown(Type::Number)
                .not_null()
                .number_range(one(), one())
                .build()
        ),
        "1"
    );
    assert_eq!(
        debug(unknown(list()).not_null().length(0).build()),
        "list(string)[]"
    );
    assert_eq!(
        debug(unknown(list()).not_null().length(1).build()),
        "list[unknown(string)]"
    );
    assert_eq!(
        debug(unknown(list()).length(1).build()),
        "unknown(list(string), length >= 1, length <= 1)"
    );
    assert_eq!(
        debug(unknown(Type::Dynamic).not_null().build()),
        "unknown(any)"
    );
}

#[test]
fn a_contradicting_refinement_is_passed_over() {
    let builder = Value::unknown(Type::String)
        .refine()
        .string_prefix_full("ab");
    assert_eq!(
        debug(builder.string_prefix_full("xyz").build()),
        r#"unknown(string, prefix "ab")"#
    );
    let builder = Value::unknown(Type::list(Type::Bool))
        .refine()
        .length_lower_bound(3);
    assert_eq!(
        debug(builder.length_upper_bound(2).build()),
        "unknown(list(bool), length >= 3)"
    );
    assert_eq!(
        debug(
            Value::unknown(Type::Bool)
                .refine()
                .not_null()
                .null()
                .build()
        ),
        "unknown(bool, not null)"
    );
    assert_eq!(debug(Value::int(1).refine().null().build()), "1");
}

#[test]
fn branches_of_different_object_types_become_a_map() {
    let types = [
        Type::object([("a", Type::Number)]),
        Type::object([("b", Type::String)]),
    ];
    let common = unify_unsafe(&types).unwrap();
    assert_eq!(common, Type::map(Type::String));
    assert_eq!(
        converted(Value::object([("a", Value::int(1))]), common),
        r#"map{"a": "1"}"#
    );
    assert_eq!(unify_unsafe(&[Type::tuple([]), Type::empty_object()]), None);
}

#[test]
fn a_failed_conversion_has_path_and_reason() {
    let object = Value::object([("a", Value::tuple(vec!["1".into(), "x".into()]))]);
    let ty = Type::object([("a", Type::list(Type::Number))]);
    assert_eq!(converted(object, ty), ".a[1]: a number is required");
    assert_eq!(
        converted("TRUE".into(), Type::Bool),
        ": a bool is required; to convert from string, use lowercase \"true\""
    );
    assert_eq!(
        mismatch_message(
            &Type::empty_object(),
            &Type::object([("b", Type::Bool), ("a", Type::Bool)])
        ),
        r#"attributes "a" and "b" are required"#
    );
}

#[test]
fn an_absent_optional_attribute_becomes_null() {
    let ty = Type::object_with_optional([("a", Type::String), ("b", Type::Number)], ["b"]);
    assert_eq!(
        converted(Value::object([("a", Value::int(1))]), ty),
        r#"{"a": "1", "b": null(number)}"#
    );
}

#[test]
fn a_set_of_unknown_length_becomes_a_list_of_its_own_elements() {
    let set = Value::set(
        Type::Number,
        vec![Value::int(1), Value::unknown(Type::Number)],
    );
    assert_eq!(
        converted(set, Type::list(Type::String)),
        "unknown(list(number))"
    );
}

#[test]
fn json_is_escaped_as_go_does() {
    let value = Value::object([("a", Value::string("<a&b>\u{2028}\u{7f}\u{8}"))]);
    let want = "{\"a\":\"\\u003ca\\u0026b\\u003e\\u2028\u{7f}\\b\"}";
    assert_eq!(json::encode_simple(&value).unwrap(), want);
    assert_eq!(json::decode_implied(want), Ok(value));
    let value = Value::tuple(vec![number("1e30"), Value::null(Type::Dynamic)]);
    assert_eq!(
        json::encode(&value, &Type::Dynamic).unwrap(),
        r#"{"value":[1000000000000000000000000000000,null],"type":["tuple",["number","dynamic"]]}"#
    );
}

#[test]
fn broken_json_is_an_error_in_go_words() {
    for (text, want) in [
        ("", "EOF"),
        ("[1", "EOF"),
        ("nul", "unexpected EOF"),
        (
            "nulx",
            "invalid character 'x' in literal null (expecting 'l')",
        ),
        (
            r#"{"a":1,}"#,
            "invalid character '}' looking for beginning of object key string",
        ),
        (r#"{"a" 1}"#, "invalid character '1' after object key"),
        ("[1 2]", "invalid character '2' after array element"),
        (
            "'a'",
            r"invalid character '\'' looking for beginning of value",
        ),
        ("\"a\nb\"", r"invalid character '\n' in string literal"),
        ("1 2", "extraneous data after JSON object"),
    ] {
        assert_eq!(
            json::implied_type(text).map_err(|error| error.message),
            Err(want.into()),
            "{text}"
        );
    }
    assert!(json::implied_type(&"[".repeat(100_000)).is_err());
}

#[test]
fn msgpack_is_that_of_the_plugin_protocol() {
    let encode = |value: Value| msgpack::encode(&value, &value.ty().clone()).unwrap();
    assert_eq!(encode(Value::int(7)), [7]);
    assert_eq!(encode(number("0.5")), [0xcb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(encode(number("0.1")), [b"\xa3".as_slice(), b"0.1"].concat());
    assert_eq!(encode(Value::unknown(Type::String)), [0xd4, 0, 0]);
    assert_eq!(
        encode(Value::unknown(Type::String).refine_not_null()),
        [0xc7, 3, 0x0c, 0x81, 1, 0xc2]
    );
    let dynamic = msgpack::encode(&"a".into(), &Type::Dynamic).unwrap();
    assert_eq!(
        dynamic,
        [b"\x92\xc4\x08".as_slice(), b"\"string\"", b"\xa1a"].concat()
    );
    assert_eq!(msgpack::decode(&dynamic, &Type::Dynamic), Ok("a".into()));
    // Any extension is an unknown value.
    assert_eq!(
        msgpack::decode(&[0xd5, 99, 1, 2], &Type::Bool),
        Ok(Value::unknown(Type::Bool))
    );
}

/// The same numbers every time.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 33
    }
}

#[test]
fn damaged_bytes_are_errors_or_values_but_no_panic() {
    let ty = Type::object([
        ("a", Type::list(Type::Dynamic)),
        ("b", Type::map(Type::set(Type::Number))),
        ("c", Type::tuple([Type::String, Type::Bool])),
        ("d", Type::String),
    ]);
    let value = Value::object([
        (
            "a",
            Value::list(Type::Dynamic, vec!["x".into(), Value::null(Type::String)]),
        ),
        (
            "b",
            Value::map(
                Type::Dynamic,
                [(
                    "k",
                    Value::set(Type::Number, vec![number("1.5"), number("0.1")]),
                )],
            ),
        ),
        ("c", Value::tuple(vec!["y".into(), Value::bool(true)])),
        (
            "d",
            Value::unknown(Type::String)
                .refine()
                .not_null()
                .string_prefix_full("pre")
                .build(),
        ),
    ]);
    let bytes = msgpack::encode(&value, &ty).unwrap();
    assert_eq!(msgpack::decode(&bytes, &ty).as_ref(), Ok(&value));
    let text = json::encode(&value.unknown_as_null(), &ty).unwrap();
    let mut next = noise(1);
    for _ in 0..4_000 {
        let mut damaged = bytes.clone();
        for _ in 0..=next() % 3 {
            let at = next() as usize % damaged.len();
            damaged[at] = next() as u8;
        }
        damaged.truncate(damaged.len() - next() as usize % 4);
        let _ = msgpack::decode(&damaged, &ty);
        let _ = msgpack::decode(&damaged, &Type::Dynamic);
        let _ = msgpack::implied_type(&damaged);
        let mut damaged = text.clone().into_bytes();
        let at = next() as usize % damaged.len();
        damaged[at] = b"{}[]\",:0-e.tn\\u "[next() as usize % 16];
        if let Ok(damaged) = String::from_utf8(damaged) {
            let _ = json::decode_str(&damaged, &ty);
            let _ = json::decode_implied(&damaged);
        }
    }
    assert!(msgpack::decode(&[0x91; 100_000], &Type::Dynamic).is_err());
    assert!(msgpack::implied_type(&[0x91; 100_000]).is_err());
    assert!(msgpack::decode(&[0xdd, 0xff, 0xff, 0xff, 0xff], &Type::list(Type::Bool)).is_err());
}

#[test]
fn a_path_reads_as_a_reference() {
    let path = Path::new()
        .attr("a")
        .index(Value::int(0))
        .attr("b")
        .index("k".into());
    assert_eq!(path.to_string(), r#".a[0].b["k"]"#);
    assert_eq!(
        path.index(Value::unknown(Type::String)).to_string(),
        r#".a[0].b["k"][...]"#
    );
    let value = Value::object([(
        "a",
        Value::tuple(vec![Value::object([(
            "b",
            Value::unknown(Type::map(Type::Bool)),
        )])]),
    )]);
    assert_eq!(path.apply(&value).map(debug), Ok("unknown(bool)".into()));
    let error = Path::new().attr("x").apply(&value).unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"at step 0: object has no attribute "x""#
    );
}

#[test]
fn transform_changes_elements_before_their_containers() {
    let value = Value::object([(
        "a",
        Value::list(Type::Number, vec![Value::int(1), sensitive(2)]),
    )]);
    let mut order = Vec::new();
    let result: Result<_, String> = try_transform(&value, &mut |path, value| {
        order.push(path.to_string());
        Ok(match value.ty() {
            Type::Number => value
                .add(&Value::int(1))
                .map_err(|error| error.to_string())?,
            _ => value,
        })
    });
    assert_eq!(debug(result.unwrap()), r#"{"a": list[2, (sensitive)]}"#);
    assert_eq!(order, [".a[0]", ".a[1]", ".a", ""]);
}

#[test]
fn a_capsule_is_equal_to_itself() {
    let ty = CapsuleType::new("thing");
    let value = Value::capsule(&ty, Arc::new(5));
    assert_eq!(value, value.clone());
    assert_ne!(value, Value::capsule(&ty, Arc::new(5)));
    assert_ne!(Type::Capsule(ty), Type::Capsule(CapsuleType::new("thing")));
    assert_eq!(
        value.as_capsule().and_then(|it| it.downcast_ref::<i32>()),
        Some(&5)
    );
}

#[test]
fn a_number_too_long_to_write_is_read_back_from_fewer_digits() {
    for text in [
        "1311811415e811415",
        "-8.5666666666666666666666666666666e-566666",
        "9999999999999999e300000",
        "12345678901234567890123456789e-123456",
        "2p900000",
    ] {
        let number = cty::Number::parse(text).unwrap();
        let written = number.to_string();
        assert!(written.len() < 180, "{written}");
        let again = cty::Number::parse(&written).unwrap();
        assert!(again.compare(&number).is_eq(), "{text}: {written}");
    }
}

#[test]
fn an_object_in_msgpack_has_each_attribute_once() {
    let ty = cty::Type::object([("a", cty::Type::String), ("b", cty::Type::String)]);
    let twice = b"\x82\xa1a\xa1x\xa1a\xa1x";
    let error = cty::msgpack::decode(twice, &ty).unwrap_err();
    assert_eq!(error.message, "duplicate attribute");
}

/// The numbers are those of Go's `crc64.Checksum` with the table of ISO.
#[test]
fn paths_have_the_order_of_sets() {
    let at = |name: &str| Path::new().attr(name);
    assert_eq!(at("cidr_block").order_in_sets(), 7_782_220_426_257_706_435);
    assert_eq!(at("vpc_id").order_in_sets(), 3_704_687_020_128_022_528);
    let nested = at("input").index(number("3")).attr("name");
    assert_eq!(nested.order_in_sets(), -2_955_616_869_330_421_298);
}

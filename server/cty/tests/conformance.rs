//! The cases of the reference implementation's own tests, where the folder with them is there.

use std::collections::BTreeMap;

use cty::testing::{self, path, table, ty, value};
use cty::{
    Mark, Marks, OpError, Path, PathMarks, Type, Value, convert, convert_unsafe_exists, json,
    msgpack, safe_conversion_exists, test_conformance, unify, walk,
};
use serde_json::Value as Json;

/// What a row says: `None` if it has nothing to check here (its expectation is about Go).
type Outcome = Option<Result<(), String>>;

fn run(name: &str, check: impl Fn(&str, &str, &Json) -> Outcome) {
    let Some(rows) = table(&format!("tables/{name}.jsonl")) else {
        print(&format!("{name}: skipped, no conformance tables"));
        return;
    };
    let (mut passed, mut inputs_only) = (0, BTreeMap::<&str, usize>::new());
    let mut failures = Vec::new();
    for row in &rows {
        let test = row["test"].as_str().unwrap();
        match check(test, row["key"].as_str().unwrap_or_default(), &row["case"]) {
            None => *inputs_only.entry(test).or_default() += 1,
            Some(Ok(())) => passed += 1,
            Some(Err(why)) => failures.push(format!("{test}: {why}\n    {}", row["case"])),
        }
    }
    let total = passed + failures.len();
    print(&format!(
        "{name}: {passed} of {total} pass, inputs only: {inputs_only:?}"
    ));
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[allow(clippy::print_stdout)]
fn print(text: &str) {
    println!("{text}");
}

fn same<T: PartialEq + std::fmt::Debug>(got: T, want: T) -> Outcome {
    Some(if got == want {
        Ok(())
    } else {
        Err(format!("got {got:?}, want {want:?}"))
    })
}

fn flag(case: &Json, name: &str) -> bool {
    case.get(name).and_then(Json::as_bool).unwrap_or(false)
}

/// The result of an operation on values of the row, against its expected value.
fn unary(case: &Json, op: impl Fn(&Value) -> Result<Value, OpError>) -> Outcome {
    same(
        op(&value(&case["Receiver"])?),
        Ok(value(&case["Expected"])?),
    )
}

fn binary(
    case: &Json,
    [a, b]: [&str; 2],
    op: impl Fn(&Value, &Value) -> Result<Value, OpError>,
) -> Outcome {
    same(
        op(&value(&case[a])?, &value(&case[b])?),
        Ok(value(&case["Expected"])?),
    )
}

fn path_marks(json: &Json) -> Option<PathMarks> {
    let marks = json["Marks"]
        .as_object()?
        .keys()
        .map(|name| testing::mark(name))
        .collect();
    Some(PathMarks {
        path: path(&json["Path"])?,
        marks,
    })
}

const SIDES: [&str; 2] = ["LHS", "RHS"];
const RECEIVER: [&str; 2] = ["Receiver", "Other"];
const LOOKUP: [&str; 2] = ["Collection", "Key"];

#[test]
fn values() {
    run("cty", |test, key, case| match test {
        "TestTypeJSONable" => {
            let (ty, text) = (ty(&case["Type"])?, case["Want"].as_str()?);
            let want: Json = serde_json::from_str(text).unwrap();
            same(
                (ty.to_json(), Type::from_json(&want)),
                (Ok(want.clone()), Ok(ty.clone())),
            )
        }
        "TestSetRulesSameRules" => {
            let element = |side: &str| ty(&case[side]["Type"]);
            same(element("a")? == element("b")?, flag(case, "want"))
        }
        "TestValueRefine" => {
            let (given, refined) = refined(key)?;
            // Where Go panics, what contradicts is passed over.
            let want = match case["WantPanic"].as_str() {
                Some(_) => given,
                None => value(&case["Want"])?,
            };
            same(refined, want)
        }
        "TestContainsMarked" => same(value(&case["val"])?.contains_marked(), flag(case, "want")),
        "TestIsMarked" => same(value(&case["val"])?.is_marked(), flag(case, "want")),
        "TestPathValueMarksEqual" => {
            let (a, b) = (
                path_marks(&case["original"])?,
                path_marks(&case["compare"])?,
            );
            same(a == b, flag(case, "want"))
        }
        "TestUnmarkDeep" => {
            let marks = case["marks"].as_object().into_iter().flatten();
            let marks: Marks = marks.map(|(name, _)| testing::mark(name)).collect();
            same(
                value(&case["val"])?.unmark_deep(),
                (value(&case["want"])?, marks),
            )
        }
        "TestPathValueMarks" => {
            let (marked, unmarked) = (value(&case["marked"])?, value(&case["unmarked"])?);
            let places: Option<Vec<_>> = case["pvms"]
                .as_array()
                .into_iter()
                .flatten()
                .map(path_marks)
                .collect();
            let places = places?;
            let (got, mut got_places) = marked.unmark_deep_with_paths();
            let mut want_places = places.clone();
            let key = |marks: &PathMarks| marks.path.to_string();
            got_places.sort_by_key(key);
            want_places.sort_by_key(key);
            same(
                (got, got_places, unmarked.mark_with_paths(&places)),
                (unmarked.clone(), want_places, marked),
            )
        }
        "TestObjectTypeEquals" | "TestTupleTypeEquals" => same(
            ty(&case["LHS"])? == ty(&case["RHS"])?,
            flag(case, "Expected"),
        ),
        "TestTypeIsPrimitiveType" => same(ty(&case["Type"])?.is_primitive(), flag(case, "Want")),
        "TestSetHashBytes" => same(
            testing::set_hash(&value(&case["value"])?),
            case["want"].as_str()?.to_string(),
        ),
        "TestSetOrder" => {
            let (a, b) = (value(&case["a"])?, value(&case["b"])?);
            // Before the other wherever it stood, if it is less.
            let orders = [vec![a.clone(), b.clone()], vec![b, a.clone()]].map(|elements| {
                let set = Value::set(Type::Dynamic, elements);
                let elements = set.as_slice().unwrap();
                elements.len() > 1 && elements[0] == a
            });
            same(orders == [true, true], flag(case, "want"))
        }
        "TestTypeTestConformance" => {
            let errors = test_conformance(&ty(&case["Receiver"])?, &ty(&case["Given"])?);
            same(errors.is_empty(), flag(case, "Conforms"))
        }
        "TestHasDynamicTypes" => same(ty(&case["ty"])?.has_dynamic(), flag(case, "expected")),
        "TestWithoutOptionalAttributesDeep" => same(
            ty(&case["ty"])?.without_optional_attributes(),
            ty(&case["expected"])?,
        ),
        "TestTypeGoString" => same(
            testing::type_from_source(case["Want"].as_str()?)?,
            ty(&case["Type"])?,
        ),
        "TestUnknownAsNull" => same(
            value(&case["Input"])?.unknown_as_null(),
            value(&case["Want"])?,
        ),
        "TestSetVal_nestedStructures" => {
            let elements = case["Elems"]
                .as_array()?
                .iter()
                .map(value)
                .collect::<Option<Vec<_>>>()?;
            let set = Value::set(Type::Dynamic, elements.clone());
            same(set.length_int(), Some(elements.len()))
        }
        "TestCanListVal" | "TestCanSetVal" => {
            let elements = case["Elems"]
                .as_array()?
                .iter()
                .map(value)
                .collect::<Option<Vec<_>>>()?;
            same(Value::are_of_one_type(&elements), flag(case, "Want"))
        }
        "TestCanMapVal" => {
            let elements = case["Elems"]
                .as_object()?
                .values()
                .map(value)
                .collect::<Option<Vec<_>>>()?;
            same(Value::are_of_one_type(&elements), flag(case, "Want"))
        }
        "TestValueEquals" => binary(case, SIDES, |a, b| {
            let (forth, back) = (a.equals(b), b.equals(a));
            assert_eq!(forth, back, "equality is symmetric");
            Ok(forth)
        }),
        "TestValueRawEquals" => {
            let (a, b) = (value(&case["LHS"])?, value(&case["RHS"])?);
            if a.raw_equals(&b) {
                let hashes = [&a, &b].map(|value| {
                    use std::hash::{DefaultHasher, Hasher};
                    let mut hasher = DefaultHasher::new();
                    value.fingerprint(&mut hasher);
                    hasher.finish()
                });
                assert_eq!(hashes[0], hashes[1], "equal values have equal fingerprints");
            }
            same(
                (a.raw_equals(&b), b.raw_equals(&a)),
                (flag(case, "Expected"), flag(case, "Expected")),
            )
        }
        "TestValueAdd" => binary(case, SIDES, Value::add),
        "TestValueSubtract" => binary(case, SIDES, Value::sub),
        "TestValueMultiply" => binary(case, SIDES, Value::mul),
        "TestValueDivide" => binary(case, SIDES, Value::div),
        "TestValueModulo" => binary(case, SIDES, Value::rem),
        "TestValueNegate" => unary(case, Value::neg),
        "TestValueAbsolute" => unary(case, Value::abs),
        "TestValueNot" => unary(case, Value::not),
        "TestValueAnd" => binary(case, RECEIVER, Value::and),
        "TestValueOr" => binary(case, RECEIVER, Value::or),
        "TestLessThan" => binary(case, RECEIVER, Value::lt),
        "TestGreaterThan" => binary(case, RECEIVER, Value::gt),
        "TestLessThanOrEqualTo" => binary(case, RECEIVER, Value::le),
        "TestGreaterThanOrEqualTo" => binary(case, RECEIVER, Value::ge),
        "TestValueIndex" => binary(case, LOOKUP, Value::index),
        "TestValueHasIndex" => binary(case, LOOKUP, Value::has_index),
        "TestValueGetAttr" => {
            let got = value(&case["Object"])?.get_attr(case["AttrName"].as_str()?);
            same(got, Ok(value(&case["Expected"])?))
        }
        "TestHasElement" => {
            let got = value(&case["Set"])?.has_element(&value(&case["Elem"])?);
            same(got, Ok(value(&case["Want"])?))
        }
        "TestValueForEachElement" => {
            let receiver = value(&case["Receiver"])?;
            let want = case["Expected"].as_array()?.iter();
            let want = want
                .map(|pair| Some((value(&pair["Key"])?, value(&pair["Element"])?)))
                .collect::<Option<Vec<_>>>()?;
            let all = receiver
                .elements()
                .map(|(key, element)| (key, element.clone()));
            // The original stops at the word.
            let count = if flag(case, "Stopped") {
                want.len()
            } else {
                usize::MAX
            };
            same(all.take(count).collect(), want)
        }
        "TestElements" => {
            let input = value(&case["Input"])?;
            let want = case["Want"].as_array()?.iter();
            let want = want
                .map(|pair| Some((value(&pair[0])?, value(&pair[1])?)))
                .collect::<Option<Vec<_>>>()?;
            let got = input
                .elements()
                .map(|(key, element)| (key, element.clone()));
            same(got.collect::<Vec<_>>(), want)
        }
        "TestValueGoString" => same(
            testing::value_from_source(case["Want"].as_str()?)?,
            value(&case["Value"])?,
        ),
        "TestHasWhollyKnownType" => same(
            value(&case["Value"])?.has_wholly_known_type(),
            flag(case, "Want"),
        ),
        "TestWalk" => {
            let want = (
                path(&Json::from(case["Path"].as_str()?))?,
                case["Type"].as_str()?,
            );
            let mut visits = 0;
            walk(&walked(), &mut |path, value| {
                visits +=
                    usize::from((path, value.ty().friendly_name().as_str()) == (&want.0, want.1));
                true
            });
            same(visits, 1)
        }
        "TestPathApply" => {
            let got = path(&case["Path"])?.apply(&value(&case["Start"])?);
            let got = got.map_err(|error| error.message);
            match case["WantErr"].as_str() {
                Some(error) => same(got, Err(error.to_string())),
                None => same(got, Ok(value(&case["Want"])?)),
            }
        }
        "TestPathEquals" => {
            let side = |name: &str| match &case[name] {
                Json::Null => Some(Path::new()),
                json => path(json),
            };
            let (a, b) = (side("A")?, side("B")?);
            same(
                (a == b, a.starts_with(&b)),
                (flag(case, "Equal"), flag(case, "Prefix")),
            )
        }
        _ => None,
    });
}

/// What a row of TestValueRefine, which has a closure for it, does by its name: the value, and the refined value.
fn refined(key: &str) -> Option<(Value, Value)> {
    use cty::RefinementBuilder as Builder;
    let unknown = Value::unknown;
    let set = || Type::set(Type::String);
    let list = || Type::list(Type::String);
    let map = || Type::map(Type::String);
    let (empty_list, empty_set) = (
        Value::list(Type::String, vec![]),
        Value::set(Type::String, vec![]),
    );
    let empty_map = Value::map(Type::String, [] as [(&str, Value); 0]);
    let prefixed = |prefix: &str| unknown(Type::String).refine().string_prefix(prefix).build();
    let not_null = |builder: Builder| builder.not_null();
    let at_least = |builder: Builder| builder.length_lower_bound(1);
    let at_most = |builder: Builder| builder.length_upper_bound(1);
    let between = |builder: Builder| builder.length_lower_bound(1).length_upper_bound(3);
    let two = |builder: Builder| builder.not_null().length(2);
    let zero = |builder: Builder| builder.not_null().length(0);
    let from =
        |number: i64| move |builder: Builder| builder.number_lower_bound(number.into(), true);
    let to = |number: i64| move |builder: Builder| builder.number_upper_bound(number.into(), true);
    let prefix = |prefix: &'static str| move |builder: Builder| builder.string_prefix(prefix);
    let with = |given: Value, refine: &dyn Fn(Builder) -> Builder| {
        let refined = refine(given.refine()).build();
        Some((given, refined))
    };
    match key {
        "known null value can have its nullness confirmed" => {
            with(Value::null(Type::Bool), &|builder| builder.null())
        }
        "known null value cannot be refined as not null" => {
            with(Value::null(Type::Bool), &not_null)
        }
        "untyped null cannot be refined as being non-null" => {
            with(Value::null(Type::Dynamic), &not_null)
        }
        "DynamicVal silently ignores all refinements" => with(Value::dynamic(), &not_null),
        "unknown string can be refined non-null" => with(unknown(Type::String), &not_null),
        "unknown object can be refined non-null" => {
            with(unknown(Value::empty_object().ty().clone()), &not_null)
        }
        "unknown tuple can be refined non-null" => {
            with(unknown(Value::empty_tuple().ty().clone()), &not_null)
        }
        "unknown list can be refined non-null" => with(unknown(list()), &not_null),
        "unknown set can be refined non-null" => with(unknown(set()), &not_null),
        "unknown list can be refined with length lower bound" => with(unknown(list()), &at_least),
        "unknown set can be refined with length lower bound" => with(unknown(set()), &at_least),
        "unknown list can be refined with length upper bound" => with(unknown(list()), &at_most),
        "unknown set can be refined with length upper bound" => with(unknown(set()), &at_most),
        "unknown map can be refined with length upper bound" => with(unknown(map()), &at_most),
        "unknown list can be refined with length bounds" => with(unknown(list()), &between),
        "unknown set can be refined with length bounds" => with(unknown(set()), &between),
        "unknown map can be refined with length bounds" => with(unknown(map()), &between),
        "unknown non-null list with known length becomes known list of unknowns" => {
            with(unknown(list()), &two)
        }
        "unknown set can be refined with known length" => with(unknown(set()), &two),
        "unknown map can be refined with known length" => with(unknown(map()), &two),
        "unknown non-null list with known zero length becomes known list" => {
            with(unknown(list()), &zero)
        }
        "unknown non-null set with known zero length becomes known empty set" => {
            with(unknown(set()), &zero)
        }
        "known list can have its length confirmed with a refinement" => with(empty_list, &zero),
        "known set can have its length confirmed with a refinement" => with(empty_set, &zero),
        "known map can have its length confirmed with a refinement" => with(empty_map, &zero),
        "cannot refine known list with conflicting length bounds" => with(empty_list, &at_least),
        "cannot refine known set with conflicting length bounds" => with(empty_set, &at_least),
        "cannot refine known map with conflicting length bounds" => with(empty_map, &at_least),
        "unknown number can have refined lower bound" => with(unknown(Type::Number), &from(1)),
        "unknown number cannot have conflicting bounds" => {
            with(from(2)(unknown(Type::Number).refine()).build(), &to(1))
        }
        "can't refine a known number with non-matching bounds" => with(Value::int(10), &to(2)),
        "known number can have its bounds confirmed" => {
            with(Value::int(1), &|builder| to(1)(from(1)(builder)))
        }
        "refining unknown non-null number with equal upper and lower bound produces known number" => {
            with(unknown(Type::Number), &|builder| {
                to(1)(from(1)(builder.not_null()))
            })
        }
        "unknown string can be refined with a prefix" => {
            with(unknown(Type::String), &prefix("foo-"))
        }
        "a string prefix can be extended" => with(prefixed("foo-"), &prefix("foo-bar-")),
        "cannot provide a string prefix that conflicts with existing refinement" => {
            with(prefixed("foo-"), &prefix("bar-"))
        }
        "a known string does not accept a conflicting prefix" => {
            with("hello".into(), &prefix("goodbye-"))
        }
        "non-string values cannot be refined with string prefix" => {
            with(unknown(Type::Number), &prefix("foo-"))
        }
        "string prefix gets truncated if it might combine (emoji sequences)" => {
            with(unknown(Type::String), &prefix("a\u{1f468}\u{1f3fd}"))
        }
        "string prefix forced despite possibility of combining" => {
            with(unknown(Type::String), &|builder| {
                builder.string_prefix_full("foo")
            })
        }
        _ => None,
    }
}

/// The value that TestWalk walks through, which only Go's source has.
fn walked() -> Value {
    let list = |elements| Value::list(Type::Bool, elements);
    let set = || Value::set(Type::Bool, vec![Value::bool(true)]);
    let map = || Value::map(Type::Bool, [("true", Value::bool(true))]);
    let object = || Value::object([("true", Value::bool(true))]);
    let mark = |value: Value| value.mark(Mark::Other("a".into()));
    Value::object([
        ("bool", Value::bool(true)),
        ("number", Value::int(1)),
        ("string", Value::string("hello")),
        ("list", list(vec![Value::bool(true)])),
        ("list_empty", list(vec![])),
        ("set", set()),
        ("set_empty", list(vec![])),
        ("tuple", Value::tuple(vec![Value::bool(true)])),
        ("tuple_empty", Value::empty_tuple()),
        ("map", map()),
        (
            "map_empty",
            Value::map(Type::Bool, [] as [(&str, Value); 0]),
        ),
        ("object", object()),
        ("object_empty", Value::empty_object()),
        ("null", Value::null(Type::list(Type::String))),
        ("unknown", Value::unknown(Type::map(Type::Bool))),
        ("marked_set", mark(set())),
        ("marked_map", mark(map())),
        ("marked_object", mark(object())),
    ])
}

#[test]
fn conversions() {
    run("cty_convert", |test, _, case| match test {
        "TestCompareTypes" => {
            let got = testing::preference(&ty(&case["A"])?, &ty(&case["B"])?);
            same(got as i64, case["Want"].as_i64().unwrap_or(0))
        }
        "TestMismatchMessage" => {
            let got = cty::mismatch_message(&ty(&case["GotType"])?, &ty(&case["WantType"])?);
            same(got.as_str(), case["WantMsg"].as_str()?)
        }
        "TestConvert" => {
            let got = convert(&value(&case["Value"])?, &ty(&case["Type"])?);
            match case["WantError"].as_str() {
                Some(error) => same(got.map_err(|error| error.message), Err(error.to_string())),
                None => same(
                    got.map_err(|error| error.message),
                    Ok(value(&case["Want"])?),
                ),
            }
        }
        "TestUnify" => {
            let types = case["Input"]
                .as_array()?
                .iter()
                .map(ty)
                .collect::<Option<Vec<_>>>()?;
            let got = unify(&types);
            if let Some(common) = &got
                && !types.iter().any(Type::is_dynamic)
            {
                let all_convert = types
                    .iter()
                    .all(|ty| ty == common || safe_conversion_exists(ty, common));
                assert!(all_convert && types.iter().all(|ty| convert_unsafe_exists(ty, common)));
            }
            same(got, case.get("WantType").and_then(ty))
        }
        "TestSortTypes" => {
            let types = |name: &str| {
                case[name]
                    .as_array()?
                    .iter()
                    .map(ty)
                    .collect::<Option<Vec<_>>>()
            };
            same(testing::by_preference(&types("Input")?), types("Want")?)
        }
        _ => None,
    });
}

#[test]
fn json_wire_form() {
    run("cty_json", |test, _, case| match test {
        "TestSimpleJSONValue" => {
            let text = case["JSON"].as_str()?;
            let got = (
                json::encode_simple(&value(&case["Input"])?),
                json::decode_implied(text),
            );
            same(got, (Ok(text.to_string()), Ok(value(&case["Want"])?)))
        }
        "TestImpliedType" => same(
            json::implied_type(case["Input"].as_str()?),
            Ok(ty(&case["Want"])?),
        ),
        "TestImpliedTypeErrors" => {
            let got = json::implied_type(case["Input"].as_str()?).map_err(|error| error.message);
            same(got, Err(case["WantError"].as_str()?.to_string()))
        }
        "TestValueJSONable" => {
            let (ty, text) = (ty(&case["Type"])?, case["Want"].as_str()?);
            let node: Json = serde_json::from_str(text).unwrap();
            let got = (
                json::encode(&value(&case["Value"])?, &ty),
                json::decode_str(text, &ty),
                json::decode(&node, &ty),
            );
            let want = value(&case["DecVal"])?;
            same(got, (Ok(text.to_string()), Ok(want.clone()), Ok(want)))
        }
        _ => None,
    });
}

#[test]
fn msgpack_wire_form() {
    run("cty_msgpack", |test, _, case| match test {
        "TestRoundTrip" | "TestRoundTrip_truncatesStringPrefixRefinement" => {
            let (given, ty) = (value(&case["Value"])?, ty(&case["Type"])?);
            let want = case
                .get("RoundTripValue")
                .map_or(Some(given.clone()), value)?;
            let bytes = msgpack::encode(&given, &ty).map_err(|error| error.to_string());
            same(
                bytes.map(|bytes| msgpack::decode(&bytes, &ty)),
                Ok(Ok(want)),
            )
        }
        "TestRoundTrip_fromString" => {
            let (text, ty) = (case["Value"].as_str()?, ty(&case["Type"])?);
            let given = Value::string(text);
            let bytes = msgpack::encode(&given, &ty).map_err(|error| error.to_string());
            same(
                bytes.map(|bytes| msgpack::decode(&bytes, &ty)),
                Ok(Ok(convert(&given, &ty).unwrap())),
            )
        }
        "TestImpliedType" => {
            let (input, want) = (case["Input"].as_str()?, ty(&case["Want"])?);
            let is_implied = |bytes: &[u8]| msgpack::implied_type(bytes).as_ref() == Ok(&want);
            Some(match some_bytes(input, &is_implied) {
                true => Ok(()),
                false => Err("no bytes have that type".into()),
            })
        }
        _ => None,
    });
}

/// Whether some bytes pass that read as this text. The tables hold bytes as text, in which those that are no UTF-8
/// have become U+FFFD: any byte above 0x7f may have stood there.
fn some_bytes(text: &str, passes: &dyn Fn(&[u8]) -> bool) -> bool {
    fn any(bytes: &mut Vec<u8>, rest: &[char], passes: &dyn Fn(&[u8]) -> bool) -> bool {
        let Some((first, rest)) = rest.split_first() else {
            return passes(bytes);
        };
        let candidates = match *first {
            // Of texts and containers: short and empty ones.
            char::REPLACEMENT_CHARACTER => [0x80, 0x90, 0xa0, 0xa1]
                .into_iter()
                .chain(0xc0..=0xdf)
                .collect(),
            c => vec![c as u8],
        };
        candidates.into_iter().any(|byte| {
            bytes.push(byte);
            let is_found = any(bytes, rest, passes);
            bytes.pop();
            is_found
        })
    }
    any(&mut Vec::new(), &text.chars().collect::<Vec<_>>(), passes)
}

#[test]
fn marks_are_read_by_name() {
    assert_eq!(testing::mark("Sensitive"), Mark::Sensitive);
}

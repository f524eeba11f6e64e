//! The schema tables of OpenTofu's own tests, where they are on this machine.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{env, fs};

use cty::testing::{path, ty, value};
use cty::{Mark, Path, PathMarks, PathStep, Type, Value};
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting};
use serde_json::{Value as Json, json};

/// Not run, and why.
const OUT_OF_SCOPE: [(&str, &str); 6] = [
    ("TestAttributeDecoderSpec", "decoding is the evaluator's"),
    (
        "TestAttributeDecoderSpecDecode_panic",
        "decoding is the evaluator's",
    ),
    ("TestBlockDecoderSpec", "decoding is the evaluator's"),
    ("TestObjectSpecType", "decoding is the evaluator's"),
    (
        "TestListOptionalAttrsFromObject",
        "internal to Go's decoder specification",
    ),
    ("TestFilter", "for generated configuration"),
];

#[test]
fn opentofu_configs_configschema() {
    let folder = env::var_os("PLANLENS_CONFORMANCE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance"),
        PathBuf::from,
    );
    let file = folder.join("tables/opentofu_configs_configschema.jsonl");
    let Ok(text) = fs::read_to_string(&file) else {
        report("SKIPPED: no conformance tables on this machine");
        return;
    };
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut failures = Vec::new();
    for line in text.lines() {
        let row: Json = serde_json::from_str(line).unwrap();
        let test = row["test"].as_str().unwrap().to_owned();
        if OUT_OF_SCOPE.iter().any(|(name, _)| *name == test) {
            continue;
        }
        let Some(outcome) = run(&test, &row["case"]) else {
            continue;
        };
        let (passed, all) = counts.entry(test.clone()).or_default();
        *all += 1;
        match outcome {
            Ok(()) => *passed += 1,
            Err(reason) => failures.push(format!("{test} {}: {reason}", row["key"])),
        }
    }
    for (test, (passed, all)) in &counts {
        report(&format!("{test}: {passed} of {all}"));
    }
    for (test, reason) in OUT_OF_SCOPE {
        report(&format!("{test}: not run: {reason}"));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}

/// None: the row holds nothing that applies here.
fn run(test: &str, case: &Json) -> Option<Result<(), String>> {
    Some(match test {
        "TestBlockImpliedType" => same(block(&case["Schema"]).implied_type(), ty(&case["Want"])?),
        "TestObjectImpliedType" => same(
            nested_type(&case["Schema"]).implied_type(),
            ty(&case["Want"])?,
        ),
        "TestBlockEmptyAndUnknownValue" => {
            same(block(&case["Schema"]).empty_value(), value(&case["Empty"])?)
        }
        "TestAttributeEmptyValue" => {
            // A schema without a type is no schema here.
            let want = value(&case["Want"]).filter(|_| case["Want"]["nilval"].is_null())?;
            same(Value::null(attribute(&case["Schema"]).implied_type()), want)
        }
        "TestBlockContainsSensitive" => same(
            block(&case["Schema"]).has_sensitive(),
            case["Want"].as_bool().unwrap_or(false),
        ),
        "TestObjectContainsSensitive" => same(
            nested_type(&case["Schema"]).has_sensitive(),
            case["Want"].as_bool().unwrap_or(false),
        ),
        "TestBlockValueMarks" => {
            let given = value(&case["given"])?;
            let marks: Vec<PathMarks> = block(&case["schema"])
                .sensitive_paths(&given)
                .into_iter()
                .map(|path| PathMarks {
                    path,
                    marks: [Mark::Sensitive].into(),
                })
                .collect();
            same(given.mark_with_paths(&marks), value(&case["expect"])?)
        }
        "TestBlock_WriteOnlyPaths" => {
            let want = case["want"]
                .as_array()?
                .iter()
                .map(path)
                .collect::<Option<Vec<_>>>()?;
            let found = block(&case["block"]).write_only_paths(&value(&case["val"])?);
            same(sorted(found), sorted(want))
        }
        "TestBlock_PathSetContainsWriteOnly" => {
            let asked = case["pathSet"]["set"]["vals"]
                .as_object()?
                .values()
                .flat_map(|paths| {
                    paths
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|text| path(text).unwrap())
                });
            let found = block(&case["block"]).write_only_paths(&value(&case["val"])?);
            let has_any = asked.into_iter().any(|path| found.contains(&path));
            same(has_any, case["want"].as_bool().unwrap_or(false))
        }
        "TestAttributeByPath" => {
            let schema = block(&by_path_schema());
            found(schema.attribute_at(&path(&case["path"])?), case)
        }
        "TestObject_AttributeByPath" => {
            let schema = nested_type(&object_by_path_schema());
            found(schema.attribute_at(&path(&case["path"])?), case)
        }
        "TestStaticValidateTraversal" => traversal(case)?,
        // Coercion and self-checks of schemas are for providers, mocks and tests in Go.
        _ => return None,
    })
}

fn same<T: PartialEq + std::fmt::Debug>(got: T, want: T) -> Result<(), String> {
    if got == want {
        Ok(())
    } else {
        Err(format!("got {got:?}, want {want:?}"))
    }
}

fn sorted(mut paths: Vec<Path>) -> Vec<Path> {
    paths.sort_by_key(|path| format!("{path:?}"));
    paths
}

fn found(attribute: Option<&Attribute>, case: &Json) -> Result<(), String> {
    let want = case["exists"]
        .as_bool()
        .unwrap_or(false)
        .then(|| case["attrDescription"].as_str());
    same(
        attribute.map(|attribute| attribute.description.as_str()),
        want.flatten(),
    )
}

/// Errors below attributes are those of evaluation: only where the schema's part ends is asked here.
fn traversal(case: &Json) -> Option<Result<(), String>> {
    let steps = steps(case["Traversal"].as_str()?);
    let schema = block(&traversal_schema());
    let result = schema.traverse(&steps);
    let want = case["WantError"].as_str();
    Some(match (result, want) {
        (Ok(traversed), Some(_)) if traversed.steps < steps.len() => Ok(()),
        (Ok(_), None) => Ok(()),
        (Ok(_), Some(want)) => Err(format!("no error, want {want}")),
        (Err(error), want) => same(
            Some(format!("{}: {}", error.summary, error.detail)).as_deref(),
            want,
        ),
    })
}

/// The steps after the first name of a reference like `a.b[0].c["d"]`.
fn steps(text: &str) -> Vec<PathStep> {
    text.split(['.', '[']).skip(1).map(step).collect()
}

fn step(text: &str) -> PathStep {
    match text.strip_suffix(']') {
        None => PathStep::GetAttr(text.into()),
        Some(key) => PathStep::Index(match key.parse() {
            Ok(index) => Value::int(index),
            Err(_) => Value::string(key.trim_matches('"')),
        }),
    }
}

fn block(json: &Json) -> Block {
    let nested = |json: &Json| NestedBlock {
        block: block(&json["Block"]),
        nesting: nesting(&json["Nesting"]),
        min_items: json["MinItems"].as_u64().unwrap_or(0),
        max_items: json["MaxItems"].as_u64().unwrap_or(0),
    };
    let block_types = json["BlockTypes"].as_object();
    Block {
        attributes: attributes(&json["Attributes"]),
        block_types: block_types
            .into_iter()
            .flatten()
            .map(|(name, json)| (name.into(), nested(json)))
            .collect(),
        ..Block::default()
    }
}

fn attributes(json: &Json) -> BTreeMap<smol_str::SmolStr, Attribute> {
    let attributes = json.as_object().into_iter().flatten();
    attributes
        .map(|(name, json)| (name.into(), attribute(json)))
        .collect()
}

fn attribute(json: &Json) -> Attribute {
    let shape = match &json["NestedType"] {
        Json::Null => Attribute::new(ty(&json["Type"]).unwrap_or(Type::Dynamic)),
        nested => Attribute::nested(nested_type(nested)),
    };
    let is = |name: &str| json[name].as_bool().unwrap_or(false);
    Attribute {
        required: is("Required"),
        optional: is("Optional"),
        computed: is("Computed"),
        sensitive: is("Sensitive"),
        write_only: is("WriteOnly"),
        description: json["Description"].as_str().unwrap_or_default().into(),
        ..shape
    }
}

fn nested_type(json: &Json) -> NestedType {
    NestedType {
        attributes: attributes(&json["Attributes"]),
        nesting: nesting(&json["Nesting"]),
    }
}

fn nesting(json: &Json) -> Nesting {
    match json.as_u64() {
        Some(2) => Nesting::Group,
        Some(3) => Nesting::List,
        Some(4) => Nesting::Set,
        Some(5) => Nesting::Map,
        _ => Nesting::Single,
    }
}

fn by_path_schema() -> Json {
    let described = |names: &[&str]| -> serde_json::Map<String, Json> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), json!({"Description": name})))
            .collect()
    };
    let mut attributes = described(&["a1", "a2"]);
    let mut nested = described(&["nt1"]);
    let deep = json!({"Attributes": described(&["deeply_nested"]), "Nesting": 1});
    nested.insert(
        "nt2".into(),
        json!({"Description": "nt2", "NestedType": deep}),
    );
    let nested = json!({"Attributes": nested, "Nesting": 3});
    attributes.insert(
        "a3".into(),
        json!({"Description": "a3", "NestedType": nested}),
    );
    let block =
        |names: &[&str], inner: Json| json!({"Attributes": described(names), "BlockTypes": inner});
    let none = || json!({});
    json!({
        "Attributes": attributes,
        "BlockTypes": {
            "b1": {"Nesting": 3, "Block": block(&["a3", "a4"], json!({
                "b2": {"Nesting": 5, "Block": block(&["a5", "a6"], none())},
            }))},
            "b3": {"Nesting": 5, "Block": block(&["a7", "a8"], json!({
                "b4": {"Nesting": 4, "Block": block(&["a9", "a10"], none())},
            }))},
        },
    })
}

fn object_by_path_schema() -> Json {
    json!({
        "Nesting": 3,
        "Attributes": {
            "a1": {"Description": "a1"},
            "a2": {"Description": "a2", "NestedType": {"Nesting": 1, "Attributes": {
                "n1": {"Description": "n1"},
                "n2": {"Description": "n2", "NestedType": {"Attributes": {
                    "dn1": {"Description": "dn1"},
                }}},
            }}},
        },
    })
}

fn traversal_schema() -> Json {
    let optional = || json!({"Attributes": {"optional": {"Type": {"ctytype": "string"}}}});
    let nested = |nesting: u64| {
        let mut nested = optional();
        nested["Nesting"] = nesting.into();
        json!({"NestedType": nested})
    };
    let attributes = json!({
        "str": {"Type": {"ctytype": "string"}},
        "list": {"Type": {"ctytype": ["list", "string"]}},
        "dyn": {"Type": {"ctytype": "dynamic"}},
        "deprecated": {"Type": {"ctytype": "string"}},
        "nested_single": nested(1),
        "nested_list": nested(3),
        "nested_set": nested(4),
        "nested_map": nested(5),
    });
    let block = |nesting: u64| json!({"Nesting": nesting, "Block": {"Attributes": attributes}});
    json!({
        "Attributes": attributes,
        "BlockTypes": {
            "single_block": block(1),
            "list_block": block(3),
            "set_block": block(4),
            "map_block": block(5),
        },
    })
}

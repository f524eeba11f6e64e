//! Reads schemas as the conformance tables hold them: Go structs in JSON.

use std::collections::BTreeMap;

use cty::Type;
use cty::testing::ty;
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting};
use serde_json::Value as Json;
use smol_str::SmolStr;

pub fn block(json: &Json) -> Block {
    let nested = |json: &Json| NestedBlock {
        block: block(&json["Block"]),
        nesting: nesting(&json["Nesting"]),
        min_items: json["MinItems"].as_u64().unwrap_or(0),
        max_items: json["MaxItems"].as_u64().unwrap_or(0),
    };
    Block {
        attributes: attributes(&json["Attributes"]),
        block_types: entries(&json["BlockTypes"])
            .map(|(name, json)| (name, nested(json)))
            .collect(),
        ..Block::default()
    }
}

fn attributes(json: &Json) -> BTreeMap<SmolStr, Attribute> {
    entries(json)
        .map(|(name, json)| (name, attribute(json)))
        .collect()
}

fn attribute(json: &Json) -> Attribute {
    let shape = match &json["NestedType"] {
        Json::Null => Attribute::new(ty(&json["Type"]).unwrap_or(Type::Dynamic)),
        nested => Attribute::nested(NestedType {
            attributes: attributes(&nested["Attributes"]),
            nesting: nesting(&nested["Nesting"]),
        }),
    };
    let is = |name: &str| json[name].as_bool().unwrap_or(false);
    Attribute {
        required: is("Required"),
        optional: is("Optional"),
        computed: is("Computed"),
        sensitive: is("Sensitive"),
        write_only: is("WriteOnly"),
        ..shape
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

fn entries(json: &Json) -> impl Iterator<Item = (SmolStr, &Json)> {
    let entries = json.as_object().into_iter().flatten();
    entries.map(|(name, json)| (SmolStr::from(name), json))
}

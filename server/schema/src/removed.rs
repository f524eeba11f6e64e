//! Stored objects of an older provider: attributes that its schema had and the current one has not.

use cty::Type;
use serde_json::Value as Json;

/// Removes what `ty` doesn't know from an object in the state file's JSON form. Providers are asked to upgrade objects of
/// their current schema version too, and refuse what they don't know.
pub fn strip_removed_attributes(json: &mut Json, ty: &Type) {
    match (json, ty) {
        (Json::Object(entries), Type::Object(object)) => {
            entries.retain(|name, _| object.attributes.contains_key(name.as_str()));
            for (name, value) in entries {
                if let Some(ty) = object.attributes.get(name.as_str()) {
                    strip_removed_attributes(value, ty);
                }
            }
        }
        (Json::Object(entries), Type::Map(element)) => {
            entries
                .values_mut()
                .for_each(|value| strip_removed_attributes(value, element));
        }
        (Json::Array(elements), Type::List(element) | Type::Set(element)) => {
            elements
                .iter_mut()
                .for_each(|value| strip_removed_attributes(value, element));
        }
        (Json::Array(elements), Type::Tuple(types)) => {
            for (value, ty) in elements.iter_mut().zip(types.iter()) {
                strip_removed_attributes(value, ty);
            }
        }
        // A dynamic value brings its type with it.
        (_, _) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_attributes_of_the_type_stay() {
        let inner = Type::object([("kept", Type::String), ("any", Type::Dynamic)]);
        let ty = Type::object([
            ("list", Type::list(inner.clone())),
            ("map", Type::map(inner)),
        ]);
        let mut json = json!({
            "gone": 1,
            "list": [{"kept": "a", "gone": 2, "any": {"value": {"x": 1}, "type": ["object", {"x": "number"}]}}],
            "map": {"k": {"gone": null}},
        });
        strip_removed_attributes(&mut json, &ty);
        let any = json!({"value": {"x": 1}, "type": ["object", {"x": "number"}]});
        assert_eq!(
            json,
            json!({"list": [{"kept": "a", "any": any}], "map": {"k": {}}})
        );
    }
}
